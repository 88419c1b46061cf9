height = int(input("Height: "))
print("\n".join("*" * n for n in range(1, height + 1)) or "Nothing to draw.")
