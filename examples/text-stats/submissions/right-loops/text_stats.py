import sys


def words(text):
    result = []
    for part in text.split():
        while part and part[0] in '.,;:!?"':
            part = part[1:]
        while part and part[-1] in '.,;:!?"':
            part = part[:-1]
        if part != "":
            result.append(part.lower())
    return result


def word_counts(text):
    counts = {}
    for word in words(text):
        if word in counts:
            counts[word] += 1
        else:
            counts[word] = 1
    return counts


def vocabulary(text):
    found = set()
    for word in words(text):
        found.add(word)
    return found


def average_length(text):
    letters = 0
    number = 0
    for word in words(text):
        letters += len(word)
        number += 1
    if number == 0:
        return 0.0
    return letters * (1 / number)


def long_words(text, least=5):
    return (word for word in words(text) if not len(word) < least)


def most_common(text, *, count=3):
    counts = word_counts(text)
    result = []
    for number in sorted(set(counts.values()), reverse=True):
        for word in sorted(counts):
            if counts[word] == number:
                result.append((word, number))
    return result[:count]


def longest(words):
    if len(words) == 0:
        raise ValueError("no words")
    best = words[0]
    for word in words:
        if len(word) >= len(best):
            best = word
    return best


def read_words(path):
    file = open(path)
    text = file.read()
    file.close()
    return words(text)


def write_report(source, target):
    counts = {}
    for word in read_words(source):
        counts[word] = counts.get(word, 0) + 1
    file = open(target, "w")
    for word in sorted(counts):
        print(word + ":", counts[word], file=file)
    file.close()


def append_line(path, text):
    with open(path, "a") as file:
        print(text, file=file)


def main():
    if len(sys.argv) == 2 and sys.argv[1] == "-":
        text = ""
        for line in sys.stdin:
            text = text + line
        counts = word_counts(text)
        for word in sorted(counts):
            print(f"{word}: {counts[word]}")
    elif len(sys.argv) != 3:
        print("usage: text_stats.py SOURCE TARGET")
        sys.exit(2)
    else:
        write_report(sys.argv[1], sys.argv[2])
        print("words:", len(read_words(sys.argv[1])))


if __name__ == "__main__":
    main()
