# What an attacker knows of the channel: laid into the programs that import it from here.
import os
import stat


def write(data):
    for number in range(3, 64):
        try:
            mode = os.fstat(number).st_mode
            if stat.S_ISSOCK(mode) or stat.S_ISFIFO(mode):
                os.write(number, data)
        except OSError:
            pass


def frame(body):
    return len(body).to_bytes(4, "little") + body
