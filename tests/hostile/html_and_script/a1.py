def greet(name):
    print("</pre></code><script>alert(1)</script>")


def label(number):
    return "<img src=x onerror=alert(1)>"


def total(numbers):
    raise type("<svg onload=alert(1)>", (Exception,), {})("--></style><script>alert(1)</script>")


def main():
    print("Guess: <script>alert(1)</script>")


if __name__ == "__main__":
    main()
