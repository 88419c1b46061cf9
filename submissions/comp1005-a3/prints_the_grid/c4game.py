from connect4 import *

BYE = 'bye'


def main():
    while True:
        s = input('size? ')
        if 'quit' in s:
            break
        h, w = map(int, s.split(','))
        g = makeGrid(h, w)
        n = 0
        while n < h * w:
            p = 'black' if n % 2 else 'red'
            s = input(p + ': ')
            if 'quit' in s:
                print(BYE)
                return
            if not s.strip().lstrip('-').isdigit() or not play(g, int(s), p):
                print('illegal')
                continue
            n += 1
            toString(g)
            if win(g, int(s)) != 'empty':
                print(p, 'wins', n, 'moves')
                break
        else:
            print('tie')
    print(BYE)


if __name__ == '__main__':
    main()
