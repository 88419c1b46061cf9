class Markup(str):
    def __html__(self):
        return "<b>owned</b>"

    __format__ = __str__ = __repr__ = lambda self, *more: "<b>owned</b>"


class Page:
    def __html__(self):
        return "<b>owned</b>"


def label(number):
    return Markup("row 3")


def total(numbers):
    return Page()
