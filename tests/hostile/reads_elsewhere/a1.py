import os
import select

if __name__ == "__main__":
    waiting = select.epoll()
    waiting.register(0)
    waiting.poll()
    os.read(os.dup(0), 99)
