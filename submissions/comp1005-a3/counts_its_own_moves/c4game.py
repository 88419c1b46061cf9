# c4game.py
# Written for COMP 1005, Assignment 3

import connect4 as c4


def full(grid):
    empties = 0
    for row in grid:
        empties += row.count('empty')
    return empties == 0


def readSize(text):
    comma = text.index(',')
    return int(text[:comma]), int(text[comma + 1:])


def takeTurn(grid, player):
    '''Asks until the player has made a valid move. The column, or -1 for quit.'''
    prompt = '\t[' + player.title() + ' player]\n\tEnter a column number: '
    while True:
        print(prompt, end='')
        text = input()
        if text == 'quit':
            return -1
        column = int(text)
        if c4.play(grid, column, player):
            print(c4.toString(grid))
            return column
        print('\tError! Invalid move: that column is full or does not exist.')


def playGame(nRows, nCols):
    '''Plays one game. False when someone quit.'''
    grid = c4.makeGrid(nRows, nCols)
    moves = {'red': 0, 'black': 0}
    while True:
        for player in moves:
            if full(grid):
                print('\n==> Game over. The result: a tie.\n')
                return True
            column = takeTurn(grid, player)
            if column == -1:
                return False
            moves[player] += 1
            if c4.win(grid, column) == player:
                total = moves[player]
                print('\n==> Game over.', player.title(), 'wins the game after', total, 'moves.\n')
                return True


def main():
    print('-' * 30)
    print('C O N N E C T   F O U R'.center(30))
    print('-' * 30)
    again = True
    while again:
        print('Please enter the number of rows and the number of columns,')
        print('separated by a comma, or quit:')
        answer = input()
        if answer == 'quit':
            again = False
        else:
            again = playGame(*readSize(answer))
    print('Thank you for playing Connect Four. See you!')


if __name__ == '__main__':
    main()
