from connect4 import makeGrid, play, toString, win


class Leaving(Exception):
    """Somebody would like to stop."""


def prompt(text):
    reply = input(text)
    if reply == "quit":
        raise Leaving
    return reply


def full(grid):
    return "empty" not in grid[0]


def move(grid, player):
    """One successful move of the player: the column."""
    reply = prompt(f"Dear {'black' if player == 'red' else 'red'}, into which column would you like to drop your checker?\n> ")
    try:
        column = int(reply)
        if not play(grid, column, player):
            raise ValueError
    except ValueError:
        print(f"I am afraid that {reply} is not possible.")
        return move(grid, player)
    print("Very well.")
    print(toString(grid))
    return column


def game(grid, players, moves):
    if full(grid):
        print("What an even match! I call it a tie.")
        return
    player, other = players
    column = move(grid, player)
    moves += 1
    if win(grid, column) != "empty":
        print(f"After {moves} moves, the winner is {player}. Better luck next time, {other}.")
    else:
        game(grid, (other, player), moves)


def main():
    try:
        while True:
            size = prompt("May I ask for the size of the grid, that is rows, columns?\n> ")
            rows, columns = [int(word) for word in size.split(",")]
            game(makeGrid(rows, columns), ("red", "black"), 0)
    except Leaving:
        print("It was a pleasure. Farewell.")


if __name__ == "__main__":
    main()
