def total(numbers):
    __import__("os")
    exec("import os")
    getattr(__builtins__, "ev" + "al")("1")
    return eval("__import__('os').getpid()")
