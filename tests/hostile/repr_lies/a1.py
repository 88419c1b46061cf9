class Liar:
    def __repr__(self):
        return "6"

    __str__ = __format__ = __repr__


class Hangs:
    def __repr__(self):
        while True:
            pass

    __str__ = __len__ = __iter__ = __repr__


class Prints:
    def __repr__(self):
        print("I was asked")
        return "0"


class Raises:
    def __repr__(self):
        raise SystemExit

    __str__ = __len__ = __iter__ = __repr__


def total(numbers):
    return {3: Liar, 1: Hangs, 0: Prints, 4: Raises}[len(numbers)]()
