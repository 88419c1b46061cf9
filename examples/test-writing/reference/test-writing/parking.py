"""A car park: what a stay costs, and who is inside."""

FREE_MINUTES = 15
CENTS_PER_HOUR = 200
CENTS_PER_DAY = 1500
MINUTES_OF_HOUR = 60
MINUTES_OF_DAY = 24 * MINUTES_OF_HOUR


def fee(minutes):
    """Return the fee for a stay of so many minutes, in cents."""
    if minutes < 0:
        raise ValueError("minutes below 0")
    if minutes <= FREE_MINUTES:
        return 0
    days = minutes // MINUTES_OF_DAY
    rest = minutes % MINUTES_OF_DAY
    hours = (rest + MINUTES_OF_HOUR - 1) // MINUTES_OF_HOUR
    rest_cents = min(hours * CENTS_PER_HOUR, CENTS_PER_DAY)
    return days * CENTS_PER_DAY + rest_cents


class CarPark:
    """A car park with so many places."""

    def __init__(self, places):
        self.places = places
        self._inside = {}
        self._last_ticket = 0

    @property
    def free(self):
        """Return the number of free places."""
        return self.places - len(self._inside)

    def enter(self, plate):
        """Let a car in; return its ticket, or None if the car park is full."""
        for other in self._inside.values():
            if other.upper() == plate.upper():
                raise ValueError("the car is inside")
        if self.free == 0:
            return None
        self._last_ticket += 1
        self._inside[self._last_ticket] = plate
        return self._last_ticket

    def leave(self, ticket):
        """Let the car of this ticket out; return its plate."""
        return self._inside.pop(ticket)
