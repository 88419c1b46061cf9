"""Words of a text."""


def words(text: str) -> list[str]:
    """The words of a text, in their order."""
    stripped = [part.strip('.,;:!?"').lower() for part in text.split()]
    return [word for word in stripped if word]
