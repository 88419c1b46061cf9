from constants import *

Board = list[list[str]]
Pieces = list[int]
Move = tuple[int, int, int]


def num_hours() -> float:
    return 21.25


def generate_initial_pieces(num_pieces: int) -> Pieces:
    return [i + 1 for i in range(num_pieces)]


def initial_state() -> Board:
    state = []
    while len(state) < GRID_SIZE:
        state.append([EMPTY for _ in range(GRID_SIZE)])
    return state


def place_piece(board: Board, player: str, pieces_available: Pieces, move: Move) -> None:
    board[move[0]][move[1]] = f'{player}{move[2]}'
    del pieces_available[pieces_available.index(move[2])]


def game_as_text(board: Board, naught_pieces: Pieces, cross_pieces: Pieces) -> str:
    rule = '  ' + '-' * 3 * len(board)
    text = f"{NAUGHT} has: {', '.join(map(str, naught_pieces))}\n"
    text += f"{CROSS} has: {', '.join(map(str, cross_pieces))}\n\n"
    # the column numbers are three characters wide, right under each other
    text += '   ' + ''.join(f'{number}  ' for number in range(1, len(board) + 1)) + '\n' + rule
    for i, row in enumerate(board):
        text += f"\n{i + 1}|{'|'.join(row)}|\n{rule}"
    return text


def print_game(board: Board, naught_pieces: Pieces, cross_pieces: Pieces) -> None:
    print(game_as_text(board, naught_pieces, cross_pieces))


def allowed_numbers(largest: int) -> list[str]:
    return [str(number) for number in range(1, largest + 1)]


def process_move(move: str) -> Move | None:
    # characters 1 and 3 have to be the only spaces
    spaces = [i for i, character in enumerate(move) if character == ' ']
    if len(move) != 5 or spaces != [1, 3]:
        print(INVALID_FORMAT_MESSAGE)
    elif move[0] not in allowed_numbers(GRID_SIZE):
        print(INVALID_ROW_MESSAGE)
    elif move[2] not in allowed_numbers(GRID_SIZE):
        print(INVALID_COLUMN_MESSAGE)
    elif move[4] not in allowed_numbers(PIECES_PER_PLAYER):
        print(INVALID_SIZE_MESSAGE)
    else:
        return (int(move[0]) - 1, int(move[2]) - 1, int(move[4]))
    return None


def get_player_move() -> Move:
    answer = input('Enter your move: ')
    if answer.lower() == 'h':
        print(HELP_MESSAGE)
        return get_player_move()
    move = process_move(answer)
    if move is None:
        return get_player_move()
    return move


def check_move(board: Board, pieces_available: Pieces, move: Move) -> bool:
    row, column, size = move
    on_top = board[row][column]
    fits = True if on_top == EMPTY else int(on_top[-1]) < size
    return fits and size in pieces_available


def check_win(board: Board) -> str | None:
    n = len(board)
    for player in [NAUGHT, CROSS]:
        mine = [[cell.startswith(player) for cell in row] for row in board]
        if (
            any(all(row) for row in mine)
            or any(all(mine[i][j] for i in range(n)) for j in range(n))
            or all(mine[i][i] for i in range(n))
            or all(mine[i][n - i - 1] for i in range(n))
        ):
            return player
    return None


def check_stalemate(board: Board, naught_pieces: Pieces, cross_pieces: Pieces) -> bool:
    # whoever has the largest piece has a move, if anybody has
    pieces = naught_pieces + cross_pieces
    if len(pieces) == 0:
        return True
    for row in board:
        for cell in row:
            if cell == EMPTY or int(cell[1]) < max(pieces):
                return False
    return True


def main() -> None:
    again = 'y'
    while again in ('y', 'Y'):
        board = initial_state()
        players = [NAUGHT, CROSS]
        pieces = [generate_initial_pieces(PIECES_PER_PLAYER), generate_initial_pieces(PIECES_PER_PLAYER)]
        turn = 0
        print_game(board, pieces[0], pieces[1])
        while True:
            print(f'\n{players[turn]} turn to move\n')
            move = get_player_move()
            if not check_move(board, pieces[turn], move):
                print(INVALID_MOVE_MESSAGE)
                continue
            place_piece(board, players[turn], pieces[turn], move)
            print_game(board, pieces[0], pieces[1])
            turn = 1 - turn
            if check_win(board):
                print(f'{check_win(board)} wins!')
                break
            if check_stalemate(board, pieces[0], pieces[1]):
                print('Stalemate!')
                break
        again = input('Play again? ')


if __name__ == '__main__':
    main()
