def total(numbers):
    return total(numbers) + 1
