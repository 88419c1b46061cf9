def total(numbers):
    return [0] * (19000 if len(numbers) == 3 else 100000)


def rows(count):
    return {str(number) for number in range(19000)}


def fill(board):
    board[:] = [[number, -number] for number in range(3000)]
