import random

from hangman_support import *


def hidden_word(word, letters):
    def shown(letter):
        return letter if letters.count(letter) > 0 else BLANK
    return "".join([shown(letter) for letter in word])


def is_letter(text):
    size = len(text)
    if size != 1:
        return False
    code = ord(text.lower())
    return code in range(ord("a"), ord("z") + 1)


def wrong_letters(word, letters):
    position = 0
    result = []
    while position != len(letters):
        letter = letters[position]
        if word.find(letter) == -1:
            result = result + [letters[position]]
        position = position + 1
    return result


def is_guessed(word, letters):
    """Whether every letter of the word was tried."""
    return all(letter in letters for letter in word)


def ask(letters):
    done = False
    while done != True:
        answer = input(PROMPT)
        if is_letter(answer) == False:
            print(INVALID_MESSAGE)
        else:
            answer = answer.lower()
            if letters.count(answer) > 0:
                print(REPEATED_MESSAGE)
            else:
                done = True
    return answer


def play(word):
    letters, lives, won = [], LIVES, False
    while lives and won == False:
        print(hidden_word(word, letters))
        answer = ask(letters)
        letters += answer
        if answer not in word:
            lives = lives - 1
        won = is_guessed(word, letters)
    print(WON_MESSAGE if won else LOST_MESSAGE + " " + word)
    return won


if __name__ == "__main__":
    play(random.choice(WORDS))
