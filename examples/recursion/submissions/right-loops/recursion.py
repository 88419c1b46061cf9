def depth(nested):
    deepest = 0
    for item in nested:
        if type(item) == list:
            inner = depth(item)
            if inner > deepest:
                deepest = inner
    return deepest + 1


def flatten(nested):
    if nested == []:
        return []
    first, rest = nested[0], nested[1:]
    if type(first) == list:
        return flatten(first) + flatten(rest)
    flat = [first]
    while rest and type(rest[0]) != list:
        flat.append(rest[0])
        rest = rest[1:]
    return flat + flatten(rest)


def add_up(nested):
    total = 0
    count = 0
    for item in nested:
        if type(item) == list:
            inner_total, inner_count = add_up(item)
            total += inner_total
            count += inner_count
        else:
            total += item
            count += 1
    return total, count


def mean(nested):
    total, count = add_up(nested)
    if count == 0:
        raise ValueError("no numbers")
    return total / count


def path_to(tree, name):
    for key in tree:
        if key == name:
            return [key]
        below = path_to(tree[key], name)
        if below:
            return [key] + below


def leaf_depths(tree, level=1):
    depths = {}
    for key in tree:
        if len(tree[key]) == 0:
            depths[key] = level
        else:
            depths.update(leaf_depths(tree[key], level + 1))
    return depths


def power(base, exponent):
    if exponent < 0:
        return power(1 / base, -exponent)
    result = 1.0
    while exponent > 0:
        if exponent % 2 == 1:
            result *= base
        base *= base
        exponent //= 2
    return result


def moves(disks, source="A", target="C", spare="B"):
    made = []
    if disks > 0:
        made += moves(disks - 1, source, spare, target)
        made.append((source, target))
        made += moves(disks - 1, spare, target, source)
    return made
