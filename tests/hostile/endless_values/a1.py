def total(numbers):
    value = []
    if len(numbers) == 3:
        value.append(value)
    elif len(numbers) == 1:
        for _ in range(5000):
            value = [value]
    elif len(numbers) == 0:
        for _ in range(60):
            value = [value, value]
    else:
        value = [0] * 1000000
    return value


def fill(board):
    board[0] = board
    board[1] = {"a": board}
