from hostile_frames import *

def say(fields):
    write(frame(b'A{"phase":"stimulus",' + fields.encode() + b"}"))
    os._exit(0)


def total(numbers):
    items = ",".join('["int","%d"]' % number for number in numbers)
    before = '"before":[["list",[%s]]],"after":[["list",[%s]]],' % (items, items)
    if len(numbers) == 0:
        say(before + '"value":["int","it was asked"]')
    elif len(numbers) == 1:
        say(before + '"value":["object","\\ud800",[]]')
    elif len(numbers) == 3:
        frames = '[{"file":"it was asked","line":1,"function":"f"}]'
        say(before + '"raised":{"type_name":"E","message":"","frames":%s}' % frames)
    else:
        say(before + '"raised":{"type_name":"\\udfff","message":""}')


def label(number):
    say('"before":[["int","3"]],"after":[["int","3"]],"value":["str","x"],"near":"it was asked"')


def half(number):
    say('"before":[["int","3"]],"after":[["int","3"]],"value":["str","x"],"open":["it was asked"]')


def code(number):
    say('"loop":"it was asked:1-2"')
