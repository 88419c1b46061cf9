"""What is handed out."""

PROMPT = "Guess: "
NUMBER = 3
NAMES = ["Ada", "Eve"]
