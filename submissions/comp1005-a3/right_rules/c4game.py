from connect4 import *

RULES = """
------------------------------------------------------------------------------
The two players take turns. On your turn you type the number of a column, and
your checker falls as far as it can. The first who has four checkers in line,
be it a row, a column or a diagonal, is the best. Columns are numbered from 0,
so the left-most one is column 0. Type quit whenever you would like to stop.
A column that has no room left cannot be chosen, neither can one that is not
in the grid. Please be kind to each other, and shake hands in the end.
------------------------------------------------------------------------------
"""


def ask(question):
    print(RULES)
    print(question, end=' ')
    answer = input()
    if answer.strip().lower() == 'quit':
        exit('Thanks for playing!')
    return answer


def main():
    while True:
        size = ask('Size of the grid (nRows,nCols):').split(',')
        grid = makeGrid(int(size[0]), int(size[1]))
        count = 0
        while 'empty' in sum(grid, []):
            me, other = ('Red', 'Black') if count % 2 == 0 else ('Black', 'Red')
            done = False
            while not done:
                column = int(ask(me + "'s turn (X = red, O = black), which column?"))
                done = play(grid, column, me.lower())
                if not done:
                    print('Not possible, sorry.')
            count += 1
            print('\n\nThis is the grid now:\n\n' + toString(grid) + '\n\n')
            if win(grid, column) != 'empty':
                print('We have a winner after', count, 'moves:')
                print('  ' + me, '(and not', other + ')\n')
                break
        else:
            print('A draw between red and black')


if __name__ == '__main__':
    main()
