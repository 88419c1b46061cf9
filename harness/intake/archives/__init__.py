"""Archives as members under size caps; nothing is extracted by path."""
