import csv
import sys
from collections import defaultdict

from tabulate import tabulate


def parse_row(fields, line):
    if len(fields) != 3:
        raise ValueError(f"line {line}: expected 3 fields, not {len(fields)}")
    try:
        quantity = int(fields[1])
        if quantity < 1:
            raise ValueError
    except ValueError:
        raise ValueError(f"line {line}: bad quantity {fields[1]!r}")
    try:
        price = float(fields[2])
        if price < 0:
            raise ValueError
    except ValueError:
        raise ValueError(f"line {line}: bad price {fields[2]!r}")
    return (fields[0], quantity, price)


def read_sales(path):
    sales = []
    try:
        with open(path, newline="") as f:
            reader = csv.reader(f)
            header = next(reader, [])
            if header != ["product", "quantity", "price"]:
                raise ValueError("line 1: expected product,quantity,price")
            for row in reader:
                if row:
                    sales.append(parse_row(row, reader.line_num))
    except FileNotFoundError:
        raise FileNotFoundError(f"no file {path}")
    return sales


def totals(sales):
    counts = defaultdict(int)
    earned = defaultdict(float)
    for product, quantity, price in sales:
        counts[product] += quantity
        earned[product] += quantity * price
    return {product: (counts[product], earned[product]) for product in counts}


def best(sales, count=3):
    result = totals(sales)
    products = sorted(result)
    products.sort(key=lambda product: result[product][1], reverse=True)
    return products[:count]


def table(sales):
    rows = []
    result = totals(sales)
    for product in sorted(result):
        quantity, earned = result[product]
        rows.append([product, quantity, earned])
    return tabulate(rows, headers=["product", "quantity", "earned"], floatfmt=".2f")


def write_totals(sales, path):
    result = totals(sales)
    with open(path, "w", newline="") as f:
        writer = csv.writer(f, lineterminator="\n")
        writer.writerow(["product", "quantity", "earned"])
        for product in sorted(result):
            quantity, earned = result[product]
            writer.writerow([product, quantity, "%.2f" % earned])


def main():
    if len(sys.argv) != 3:
        print("usage: csv_report.py SOURCE TARGET")
        sys.exit(2)
    source, target = sys.argv[1:]
    try:
        sales = read_sales(source)
    except (ValueError, FileNotFoundError) as error:
        print("error:", error)
        sys.exit(1)
    write_totals(sales, target)
    print(table(sales))
    print("sales:", len(sales))


if __name__ == "__main__":
    main()
