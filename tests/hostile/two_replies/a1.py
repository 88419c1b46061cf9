from hostile_frames import *


def total(numbers):
    items = ",".join('["int","%d"]' % number for number in numbers)
    arguments = '[["list",[' + items + "]]]"
    text = '{"phase":"stimulus","before":%s,"value":["int","6"],"after":%s}' % (arguments, arguments)
    write(frame(b"A" + text.encode()))
    return 7
