def label(number):
    return '=HYPERLINK("http://example.org","marks")'


def greet(name):
    print('+cmd|\' /C calc\'!A0\n@SUM(1+1)*2\n-2+3\n\t=1')
