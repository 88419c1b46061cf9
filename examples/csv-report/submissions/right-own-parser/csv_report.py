import os
import sys

from tabulate import tabulate


def fields_of(text):
    """Return pairs of the number of a line and its fields."""
    rows = []
    fields = []
    field = ""
    quoted = False
    empty = True
    line = 1
    i = 0
    text = text.replace("\r\n", "\n")
    if text != "" and text[-1] != "\n":
        text += "\n"
    while i < len(text):
        c = text[i]
        if quoted and c == '"' and text[i + 1] == '"':
            field += '"'
            i += 1
        elif c == '"' and (quoted or field == ""):
            quoted = not quoted
            empty = False
        elif quoted:
            field += c
            if c == "\n":
                line += 1
        elif c == ",":
            fields.append(field)
            field = ""
            empty = False
        elif c == "\n":
            if not empty:
                fields.append(field)
            rows.append((line, fields))
            fields = []
            field = ""
            empty = True
            line += 1
        else:
            field += c
            empty = False
        i += 1
    return rows


def quote(field):
    for c in ',"\n':
        if c in field:
            return '"' + field.replace('"', '""') + '"'
    return field


def parse_row(fields, line):
    start = "line " + str(line) + ": "
    if len(fields) != 3:
        raise ValueError(start + "expected 3 fields, not " + str(len(fields)))
    product, quantity, price = fields
    try:
        number = int(quantity)
    except ValueError:
        raise ValueError(start + "bad quantity " + repr(quantity))
    if number <= 0:
        raise ValueError(start + "bad quantity " + repr(quantity))
    try:
        amount = float(price)
    except ValueError:
        raise ValueError(start + "bad price " + repr(price))
    if amount < 0:
        raise ValueError(start + "bad price " + repr(price))
    return product, number, amount


def read_sales(path):
    if not os.path.exists(path):
        raise FileNotFoundError("no file " + path)
    with open(path, encoding="utf-8", newline="") as file:
        rows = fields_of(file.read())
    if rows == [] or rows[0][1] != ["product", "quantity", "price"]:
        raise ValueError("line 1: expected product,quantity,price")
    sales = []
    for line, fields in rows[1:]:
        if fields != []:
            sales.append(parse_row(fields, line))
    return sales


def totals(sales):
    result = {}
    for product, quantity, price in sales:
        if product not in result:
            result[product] = (0, 0.0)
        before = result[product]
        result[product] = (before[0] + quantity, before[1] + quantity * price)
    return result


def best(sales, count=3):
    pairs = []
    for product, (quantity, earned) in totals(sales).items():
        pairs.append((-earned, product))
    pairs.sort()
    names = []
    for earned, product in pairs:
        if len(names) < count:
            names.append(product)
    return names


def table(sales):
    result = totals(sales)
    rows = [(product, result[product][0], result[product][1]) for product in sorted(result)]
    return tabulate(rows, headers=["product", "quantity", "earned"], floatfmt=".2f")


def write_totals(sales, path):
    lines = ["product,quantity,earned"]
    for product, (quantity, earned) in sorted(totals(sales).items()):
        lines.append(f"{quote(product)},{quantity},{earned:.2f}")
    file = open(path, "w", encoding="utf-8", newline="")
    file.write("\n".join(lines) + "\n")
    file.close()


def main(arguments):
    if len(arguments) != 2:
        sys.stderr.write("usage: csv_report.py SOURCE TARGET\n")
        return 2
    try:
        sales = read_sales(arguments[0])
    except Exception as problem:
        sys.stderr.write(f"error: {problem}\n")
        return 1
    write_totals(sales, arguments[1])
    print(table(sales), f"sales: {len(sales)}", sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
