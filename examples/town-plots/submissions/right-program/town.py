import matplotlib.pyplot as plt

YEARS = [1980, 1990, 2000, 2010, 2020]
PEOPLE = [12.5, 14.0, 18.5, 18.0, 21.0]


def growth(years, people):
    return [after - before for before, after in zip(people, people[1:])]


def draw_people(years, people):
    plt.figure()
    plt.plot(years, people)
    plt.title("People")
    plt.xlabel("year")
    plt.ylabel("thousands")


def draw_towns(years, towns):
    plt.figure()
    for name, people in towns.items():
        plt.plot(years, people, label=name)
    plt.legend()


def draw_bars(names, amounts):
    plt.figure()
    axes = plt.gca()
    axes.bar(range(len(names)), amounts)
    axes.set_xticks(range(len(names)), names)


def draw_places(places):
    plt.figure()
    plt.scatter([x for x, _ in places], [y for _, y in places])


def draw_both(years, people):
    _, (left, right) = plt.subplots(1, 2)
    left.plot(years, people)
    left.set_title("People")
    right.bar(years[1:], growth(years, people))
    right.set_title("Growth")


draw_people(YEARS, PEOPLE)
plt.show()
draw_bars(["80s", "90s", "00s", "10s"], growth(YEARS, PEOPLE))
plt.show()
