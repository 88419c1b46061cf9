"""Two people, one keyboard, four in a row."""

from connect4 import makeGrid, play, toString, win


def say_goodbye():
    print()
    print('~' * 40)
    print('Goodbye, and come back soon!')


def room_left(grid):
    return any('empty' in row for row in grid)


def ask_for_size():
    """A (rows, columns) pair, or None when the players have had enough."""
    print('How big shall the board be? For instance 6, 7 is six rows by seven columns.')
    reply = input('(or quit) >>> ').strip().lower()
    if reply == 'quit':
        return None
    rows, columns = reply.replace(' ', '').split(',')
    return int(rows), int(columns)


def one_turn(grid, colour):
    """The column that was played, or None to stop."""
    last = len(grid[0]) - 1
    while True:
        reply = input(f"\nIt's {colour.upper()}'s turn! Pick a column from 0 to {last}: ").strip()
        if reply == 'quit':
            return None
        try:
            column = int(reply)
        except ValueError:
            print('Sorry, I was hoping for a number there. Not a valid move, have another go.')
            continue
        if play(grid, column, colour):
            return column
        print(f'Sorry, you cannot drop a checker in column {column}. Have another go.')


def one_game(rows, columns):
    """True when the players want another game."""
    grid = makeGrid(rows, columns)
    print('Here is your empty board:')
    print(toString(grid))
    moves = 0
    while True:
        colour = ['red', 'black'][moves % 2]
        column = one_turn(grid, colour)
        if column is None:
            return False
        moves += 1
        print()
        print(toString(grid))
        print()
        if win(grid, column) == colour:
            print(f'*** Congratulations! {colour.upper()} wins the game after {moves} moves! ***')
            return True
    print("Nobody could do it: it's a tie!")
    return True


def main():
    print('Welcome to CONNECT FOUR')
    print('Red is X and black is O. Type quit at any time to leave.')
    going = True
    while going:
        size = ask_for_size()
        going = size is not None and one_game(*size)
    say_goodbye()


if __name__ == '__main__':
    main()
