"""Plays c4game.py as a module: importing it must start nothing, main() must."""

import c4game

print("imported")
c4game.main()
