import socket


def total(numbers):
    if len(numbers) == 3:
        socket.create_connection(("127.0.0.1", @PORT@)).close()
    else:
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", @PORT@))
    return "done"
