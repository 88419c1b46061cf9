"""Why a verdict is what it is: differences, and the rules that put them into words."""
