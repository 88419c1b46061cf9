import connect4


def bye():
    print("\nOK, BYE!")
    exit()


def ask(question):
    answer = input(question)
    if answer == "quit":
        bye()
    return answer


def getSize():
    pieces = ask("HOW MANY ROWS, HOW MANY COLUMNS? ").split(",")
    return [int(piece) for piece in pieces]


def turn(grid, colour):
    # The colour is named once a turn: a second try only asks for a column.
    print("\n" + "#" * 8, colour.upper(), "#" * 8)
    column = int(ask("COLUMN? "))
    while not connect4.play(grid, column, colour):
        print("NOPE!")
        column = int(ask("COLUMN? "))
    print(connect4.toString(grid))
    return connect4.win(grid, column) != "empty"


def game(rows, columns):
    grid = connect4.makeGrid(rows, columns)
    turns = 0
    while turns < rows * columns:
        for colour in ("red", "black"):
            if turns == rows * columns:
                break
            turns += 1
            if turn(grid, colour):
                print("\n!!! " + colour.upper() + " WON !!!")
                print("NUMBER OF MOVES:", turns)
                return
    print("\n!!! A DRAW !!!")


def main():
    while True:
        rows, columns = getSize()
        game(rows, columns)


if __name__ == "__main__":
    main()
