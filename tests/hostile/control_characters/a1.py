def greet(name):
    print("\x1b[2J\x1b]0;owned\x07Hello, \u202eadA\u202c!\x9b31m")


def label(number):
    return "row \u202e3\u2066\u200b\x1b[31m\x00"
