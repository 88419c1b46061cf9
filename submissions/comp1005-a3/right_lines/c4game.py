import connect4 as c

SEPARATOR = '=' * 60


def read(text):
    print(text)
    return input().strip()


def main():
    print(SEPARATOR)
    size = read('Enter dimensions [rows, cols] or type quit:')
    while size != 'quit':
        rows = ''
        columns = ''
        seen = False
        for letter in size:
            if letter == ',':
                seen = True
            elif letter.isdigit() and seen:
                columns += letter
            elif letter.isdigit():
                rows += letter
        grid = c.makeGrid(int(rows), int(columns))
        count = 0
        winner = 'empty'
        while winner == 'empty' and count < int(rows) * int(columns):
            player = 'red' if count % 2 == 0 else 'black'
            print(SEPARATOR)
            answer = read('Turn #' + str(count + 1) + ' belongs to ' + player + '. Column number?')
            if answer == 'quit':
                print('Game stopped. See you next time!')
                return
            if answer.isdigit() and c.play(grid, int(answer), player):
                count += 1
                print('Checker played in column ' + answer + '.')
                for line in c.toString(grid).split('\n'):
                    print(line)
                winner = c.win(grid, int(answer))
            else:
                print('Invalid!')
        print(SEPARATOR)
        if winner == 'empty':
            print('Tie game')
        else:
            print(winner[0].upper() + winner[1:], 'wins the game after', count, 'moves')
        print(SEPARATOR)
        size = read('Enter dimensions [rows, cols] or type quit:')
    print('See you next time!')


if __name__ == '__main__':
    main()
