import termios
import tty


def total(numbers):
    tty.setraw(0)
    return sum(numbers)


def greet(name):
    modes = termios.tcgetattr(1)
    print(f"Hello, {name}!" if modes[1] == 0 else "Other modes!")


if __name__ == "__main__":
    modes = termios.tcgetattr(0)
    modes[1] |= termios.OPOST | termios.ONLCR
    modes[3] |= termios.ECHO
    termios.tcsetattr(0, termios.TCSANOW, modes)
    guess = int(input("Guess: "))
    while guess != 3:
        print("Too big" if guess > 3 else "Too small")
        guess = int(input("Guess: "))
    print("Right!")
