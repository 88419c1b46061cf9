def label(number):
    return "{{ 7 * 7 }}{% include '/etc/passwd' %}{# #}"


def greet(name):
    print("{0.__class__} {plan} %(name)s %s ${x} [red]x[/red]")


def total(numbers):
    raise ValueError("{{ self.__init__.__globals__ }} {0} %d")
