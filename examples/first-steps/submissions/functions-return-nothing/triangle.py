def main():
    height = int(input("Height: "))
    if height <= 0:
        print("Nothing to draw.")
        return
    row = 0
    while row < height:
        row += 1
        for _ in range(row):
            print("*", end="")
        print()


main()
