"""Handed out: what every game has in common."""

LIVES = 6
BLANK = "_"
WORDS = ("lantern", "copper", "island", "picture", "letter")
PROMPT = "Letter: "
INVALID_MESSAGE = "Please type one letter."
REPEATED_MESSAGE = "You have tried that letter."
WON_MESSAGE = "You have found the word!"
LOST_MESSAGE = "The word was"
