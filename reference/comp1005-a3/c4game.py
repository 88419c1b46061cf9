"""Connect four for two players at one keyboard."""

from connect4 import makeGrid, play, toString, win

QUIT = "quit"
PLAYERS = ["red", "black"]


def main():
    """Play games until somebody quits."""
    wants_more = True
    while wants_more:
        size = input("Size of the grid (rows,columns) or quit: ")
        if size == QUIT:
            wants_more = False
        else:
            wants_more = _play_game(_grid_of(size))
    print("Thanks for playing!")


def _grid_of(size):
    rows, columns = size.split(",")
    return makeGrid(int(rows), int(columns))


def _play_game(grid):
    """Play one game; return whether the players want another."""
    moves = 0
    while _has_room(grid):
        player = PLAYERS[moves % 2]
        column = _take_turn(grid, player)
        if column == QUIT:
            return False
        moves += 1
        print(toString(grid))
        if win(grid, column) == player:
            print(f"{player.capitalize()} wins the game after {moves} moves.")
            return True
    print("The game is a tie.")
    return True


def _take_turn(grid, player):
    """Ask until a checker has been dropped; return its column, or QUIT."""
    while True:
        answer = input(f"Column for {player}: ")
        if answer == QUIT:
            return QUIT
        column = _number(answer)
        if play(grid, column, player):
            return column
        print("That is an invalid move.")


def _number(answer):
    # A column that is in no grid, where the answer is no whole number.
    answer = answer.strip()
    return int(answer) if answer.isdecimal() else -1


def _has_room(grid):
    for row in grid:
        if "empty" in row:
            return True
    return False


if __name__ == "__main__":
    main()
