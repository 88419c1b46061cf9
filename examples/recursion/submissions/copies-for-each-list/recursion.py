"""Functions on nested lists, trees and towers."""


def depth(nested):
    """How many lists a nested list is deep."""
    return 1 + max(
        (depth(item) for item in nested if isinstance(item, list)), default=0
    )


def flatten(nested):
    """The numbers of a nested list, in their order."""
    numbers = []
    for item in nested:
        if isinstance(item, list):
            longer = []
            for number in numbers:
                longer.append(number)
            for number in flatten(item):
                longer.append(number)
            numbers = longer
        else:
            numbers.append(item)
    return numbers


def mean(nested):
    """The mean of the numbers of a nested list."""
    numbers = flatten(nested)
    if not numbers:
        raise ValueError("no numbers")
    return sum(numbers) / len(numbers)


def path_to(tree, name):
    """The names that lead to a name; None where it is not there."""
    for top, below in tree.items():
        if top == name:
            return [name]
        rest = path_to(below, name)
        if rest is not None:
            return [top, *rest]
    return None


def leaf_depths(tree):
    """The depth of each leaf by its name."""
    depths = {}
    for name, below in tree.items():
        if not below:
            depths[name] = 1
        for leaf, deep in leaf_depths(below).items():
            depths[leaf] = deep + 1
    return depths


def power(base, exponent):
    """A float to the power of a whole number."""
    if exponent < 0:
        return 1 / power(base, -exponent)
    if exponent == 0:
        return 1.0
    half = power(base, exponent // 2)
    if exponent % 2:
        return half * half * base
    return half * half


def moves(disks, source="A", target="C", spare="B"):
    """The moves that carry a tower from source to target."""
    if disks == 0:
        return []
    before = moves(disks - 1, source, spare, target)
    after = moves(disks - 1, spare, target, source)
    return [*before, (source, target), *after]
