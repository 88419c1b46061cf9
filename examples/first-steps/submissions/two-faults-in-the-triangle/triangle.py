"""A triangle of stars."""

height = int(input("Height: "))
if height < 0:
    print("Nothing to draw.")
for number in range(1, height):
    print("*" * number)
