import random

from hangman_support import *


def hidden_word(word, letters):
    text = word[:]
    for letter in set(word) - set(letters):
        text = text.replace(letter, BLANK)
   return " ".join(text)


def is_letter(text):
    return text != "" and text.isalpha() and text == text[0]


def wrong_letters(word, letters):
    """The letters that the word lacks, as they were tried."""
    return [letter for letter in letters if letter not in word]


def is_guessed(word, letters):
    return BLANK not in hidden_word(word, letters)


def ask(letters):
    done = False
    while not done:
        answer = input(PROMPT)
        if not is_letter(answer):
            print(INVALID_MESSAGE)
        if is_letter(answer) == True:
            answer = answer.lower()
            if answer not in letters:
                done = True
            else:
                print(REPEATED_MESSAGE)
    return answer


def play(word):
    """One game; whether the word was found."""
    letters = []
    while len(wrong_letters(word, letters)) < LIVES and not is_guessed(word, letters):
        print(hidden_word(word, letters))
        letters.append(ask(letters))
    if is_guessed(word, letters):
        print(WON_MESSAGE)
        return True
    print(LOST_MESSAGE, word)
    return False


if __name__ == "__main__":
    play(random.choice(WORDS))
