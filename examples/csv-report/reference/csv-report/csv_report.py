"""Report on a CSV file of sales."""

import csv
import sys

from tabulate import tabulate

HEADER = ["product", "quantity", "price"]


def parse_row(fields: list[str], line: int) -> tuple[str, int, float]:
    """Return the sale of a line's fields; a ValueError says what is wrong."""
    if len(fields) != 3:
        raise ValueError(f"line {line}: expected 3 fields, not {len(fields)}")
    product, quantity_text, price_text = fields
    try:
        quantity = int(quantity_text)
    except ValueError:
        quantity = 0
    if quantity < 1:
        raise ValueError(f"line {line}: bad quantity {quantity_text!r}")
    try:
        price = float(price_text)
    except ValueError:
        price = -1.0
    if price < 0:
        raise ValueError(f"line {line}: bad price {price_text!r}")
    return product, quantity, price


def read_sales(path: str) -> list[tuple[str, int, float]]:
    """Return the sales of a file in their order."""
    try:
        file = open(path, encoding="utf-8", newline="")
    except FileNotFoundError:
        raise FileNotFoundError(f"no file {path}") from None
    with file:
        reader = csv.reader(file)
        if next(reader, None) != HEADER:
            raise ValueError("line 1: expected product,quantity,price")
        sales = []
        for fields in reader:
            if fields:
                sales.append(parse_row(fields, reader.line_num))
        return sales


def totals(sales: list[tuple[str, int, float]]) -> dict[str, tuple[int, float]]:
    """Return how many of each product were sold, and what they earned."""
    found: dict[str, tuple[int, float]] = {}
    for product, quantity, price in sales:
        sold, earned = found.get(product, (0, 0.0))
        found[product] = (sold + quantity, earned + quantity * price)
    return found


def best(sales: list[tuple[str, int, float]], count: int = 3) -> list[str]:
    """Return the products that earned the most, the most first."""
    found = totals(sales)
    names = sorted(found, key=lambda name: (-found[name][1], name))
    return names[:count]


def table(sales: list[tuple[str, int, float]]) -> str:
    """Return a table with a row for each product, in alphabetical order."""
    rows = [[name, *numbers] for name, numbers in sorted(totals(sales).items())]
    headers = ["product", "quantity", "earned"]
    return tabulate(rows, headers=headers, floatfmt=".2f")


def write_totals(sales: list[tuple[str, int, float]], path: str) -> None:
    """Write a CSV file with a line for each product, in alphabetical order."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["product", "quantity", "earned"])
        for product, (quantity, earned) in sorted(totals(sales).items()):
            writer.writerow([product, quantity, f"{earned:.2f}"])


def main() -> None:
    """Report on the file that the first argument names."""
    if len(sys.argv) != 3:
        print("usage: csv_report.py SOURCE TARGET", file=sys.stderr)
        sys.exit(2)
    try:
        sales = read_sales(sys.argv[1])
    except (FileNotFoundError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(1)
    write_totals(sales, sys.argv[2])
    print(table(sales))
    print(f"sales: {len(sales)}")


if __name__ == "__main__":
    main()
