# Assignment 3, part 2: the game
import connect4


def isFull(grid):
    for row in grid:
        for location in row:
            if location == 'empty':
                return False
    return True


def main():
    while True:
        size = input('What size of game would you like to play (rows,columns)? ')
        if size == 'quit':
            print('Thanks for playing')
            return
        parts = size.split(',')
        grid = connect4.makeGrid(int(parts[0]), int(parts[1]))
        moves = 0
        player = 'red'
        playing = True
        while playing:
            if isFull(grid):
                print('The game is a tie')
                playing = False
            else:
                answer = input('Which column does ' + player + ' want to play? ')
                if answer == 'quit':
                    print('Thanks for playing')
                    return
                column = int(answer)
                if connect4.play(grid, column, player):
                    moves = moves + 1
                    print(connect4.toString(grid))
                    if connect4.win(grid, column) != 'empty':
                        print(player.capitalize() + ' wins the game after ' + str(moves) + ' moves')
                        playing = False
                        if isFull(grid):
                            print('The game is a tie')
                    elif player == 'red':
                        player = 'black'
                    else:
                        player = 'red'
                else:
                    print('That was an invalid move')


if __name__ == '__main__':
    main()
