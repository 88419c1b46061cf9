"""Shows expected and actual results side by side, with their differences marked."""
