"""A triangle of stars."""

height = int(input("Height: "))
if height < 1:
    print("Nothing to draw.")
for number in range(1, height + 1):
    print("*" * number)
