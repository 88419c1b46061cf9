"""Play Connect Four on the terminal with the functions of project 4.

The module handed in lies beside this file as p4.py. Run this file to play on a
board of the usual size, or import it and call play with another.
"""

from p4 import *

PLAYERS = ["O", "X"]
DROP = 0
POP_OUT = 1


def ask_option(color):
    """Ask a player for DROP or POP_OUT until it is one of these."""
    choices = "0-drop a piece or 1-pop out a piece"
    question = "please select: %s for player %s:" % (choices, color)
    option = int(input(question))
    while option != DROP and option != POP_OUT:
        option = int(input("Invalid choice!\n" + question))
    return option


def ask_column(color, num_col, purpose):
    """Ask a player for a column. The answer may be any whole number."""
    columns = "[%d-%d]" % (0, num_col - 1)
    wanted = "please select a column for player %s %s" % (color, columns)
    print("%s to %s a piece:" % (wanted, purpose), end=" ")
    return int(input())


def take_turn(board, color, num_col):
    """Ask a player for moves until one of them can be made."""
    while True:
        if ask_option(color) == DROP:
            if place_one(board, ask_column(color, num_col, "place"), color):
                return
            print("Cannot place a piece there!")
        else:
            if pop_out(board, ask_column(color, num_col, "pop out"), color):
                return
            print("Cannot pop out a piece from there!")


def play(num_row=6, num_col=7):
    """Play one game, until check_winner no longer says that it is pending."""
    board = init_board(num_row, num_col)
    turn = 0
    winner = check_winner(board)
    while winner == "pending":
        print(show_board(board))
        take_turn(board, PLAYERS[turn], num_col)
        turn = (turn + 1) % len(PLAYERS)
        winner = check_winner(board)

    if winner == "draw":
        print("=====DRAW=====")
    else:
        print("=====Winner is %s!!!=====" % winner)
    print(show_board(board))
    print("Thanks for playing!")


if __name__ == "__main__":
    play()
