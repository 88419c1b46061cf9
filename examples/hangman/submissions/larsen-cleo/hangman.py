import random

from hangman_support import *


def hidden_word(word, letters):
    # every letter is followed by a space
    text, count = "", 0
    for index in range(0, len(word)):
        letter = word[index]
        if letter in letters:
            text = f"{text}{word[index]} "
        else:
            text = text + BLANK + " "
    return text


def is_letter(text):
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    return len([each for each in alphabet if each == text.lower()]) == 1


def wrong_letters(word, letters):
    for letter in list(letters):
        if letter in word:
            letters.remove(letter)
    return letters


def is_guessed(word, letters):
    return set(word).issubset(letters)


def ask(letters):
    done = False
    while done is False:
        answer = input(PROMPT)
        if is_letter(answer) == False:
            print(INVALID_MESSAGE)
        else:
            answer = answer.lower()
            if answer not in letters:
                done = True
            else:
                print(REPEATED_MESSAGE)
    return answer


def play(word):
    """One game; whether the word was found."""
    letters = []
    while not is_guessed(word, letters) and len(wrong_letters(word, letters)) < LIVES:
        print(hidden_word(word, letters))
        letters += [ask(letters)]
    if is_guessed(word, letters):
        print(WON_MESSAGE)
        return True
    print(f"{LOST_MESSAGE} {word}")
    return False


if __name__ == "__main__":
    play(random.choice(WORDS))
