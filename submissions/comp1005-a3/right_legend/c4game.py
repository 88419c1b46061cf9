# Assignment 3 - Connect Four
from connect4 import makeGrid
from connect4 import play
from connect4 import toString
from connect4 import win


def show(grid):
    print('')
    print(toString(grid))
    print('(X is Red, O is Black)')


def hasEmpty(grid):
    for i in range(len(grid)):
        for j in range(len(grid[i])):
            if grid[i][j] == 'empty':
                return True
    return False


def main():
    print('This is connect four for two players called Red and Black. Have fun!')
    state = 'size'
    while state != 'over':
        if state == 'size':
            line = input('Grid size as rows,columns - 4 to 10 of each, 6,7 is usual: ')
            if line.strip() == 'quit':
                state = 'over'
                continue
            grid = makeGrid(int(line[:line.find(',')]), int(line[line.find(',') + 1:]))
            show(grid)
            moves = 0
            state = 'red'
        elif not hasEmpty(grid):
            print('No more room in the grid, so the game is a tie.')
            state = 'size'
        else:
            name = state[0].upper() + state[1:]
            line = input('Your move, ' + name + '. Column: ')
            if line.strip() == 'quit':
                state = 'over'
                continue
            try:
                done = play(grid, int(line), state)
            except ValueError:
                done = False
            if not done:
                print('Please choose a column that is in the grid and has some room left,', name)
                continue
            moves += 1
            show(grid)
            if win(grid, int(line)) == state:
                print('Victory for ' + name + '! It took', moves, 'moves.')
                state = 'size'
            else:
                state = {'red': 'black', 'black': 'red'}[state]
    print('Thanks.')


if __name__ == '__main__':
    main()
