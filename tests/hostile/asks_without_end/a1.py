import os
import select


def total(numbers):
    """The control."""
    return sum(numbers)


def main():
    line = input()  # the second line is typed at the first question below, and never read
    if line == "5":
        while True:
            os.read(0, 0)
            sum(range(3000))
    poll = select.poll()
    poll.register(0, select.POLLIN)
    while True:
        poll.poll(0)
        sum(range(3000))


if __name__ == "__main__":
    main()
