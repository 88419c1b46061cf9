PROMPT = "Give me marks: "
NUMBER = 99
