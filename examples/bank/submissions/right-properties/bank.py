"""Bank accounts."""


class InsufficientFundsError(ValueError):
    """There is less in an account than is asked for."""


class Account:
    """An account of a person."""

    def __init__(self, owner: str, balance: int = 0) -> None:
        """Open an account; ValueError for a balance below zero."""
        if balance < 0:
            raise ValueError("balance must not be negative")
        self._owner = owner
        self._balance = balance

    @property
    def owner(self) -> str:
        return self._owner

    @property
    def balance(self) -> int:
        return self._balance

    def __repr__(self) -> str:
        """How to make the account again."""
        return f"Account({self.owner!r}, {self.balance})"

    def __eq__(self, other: object) -> bool:
        """Whether owner and balance are equal."""
        if not isinstance(other, Account):
            return NotImplemented
        return (self.owner, self.balance) == (other.owner, other.balance)

    def deposit(self, amount: int) -> int:
        """Add to the balance; the new balance."""
        if amount <= 0:
            raise ValueError("amount must be positive")
        self._balance += amount
        return self.balance

    def withdraw(self, amount: int) -> int:
        """Take from the balance; the new balance."""
        if amount <= 0:
            raise ValueError("amount must be positive")
        if amount > self.balance:
            raise InsufficientFundsError(
                f"{self.owner} has only {self.balance} dollars"
            )
        self._balance -= amount
        return self.balance


class SavingsAccount(Account):
    """An account with interest."""

    def __init__(self, owner: str, balance: int = 0, rate: int = 2) -> None:
        """Open an account with an interest rate in percent."""
        super().__init__(owner, balance)
        self.rate = rate

    def __repr__(self) -> str:
        """How to make the account again."""
        shown = f"{self.owner!r}, {self.balance}, rate={self.rate}"
        return f"SavingsAccount({shown})"

    def add_interest(self) -> int:
        """Add the interest to the balance; the interest."""
        interest = self.balance * self.rate // 100
        self._balance += interest
        return interest

    def withdraw(self, amount: int) -> int:
        """Take from the balance, which stays at 10 or more; the new balance."""
        if amount > 0 and self.balance - amount < 10:
            raise InsufficientFundsError("10 dollars must stay in the account")
        return super().withdraw(amount)


def transfer(source: Account, target: Account, amount: int) -> None:
    """Move an amount from one account to another."""
    source.withdraw(amount)
    target.deposit(amount)


def total(accounts: list[Account]) -> int:
    """The sum of the balances."""
    return sum(account.balance for account in accounts)


def richest(accounts: list[Account]) -> Account | None:
    """The account with the highest balance, the first of several."""
    best = None
    for account in accounts:
        if best is None or account.balance > best.balance:
            best = account
    return best


def by_owner(accounts: list[Account]) -> dict[str, list[Account]]:
    """Each owner's accounts, in their order."""
    found: dict[str, list[Account]] = {}
    for account in accounts:
        found.setdefault(account.owner, []).append(account)
    return found


def open_accounts(owners: list[str]) -> list[Account]:
    """A new account for each owner."""
    return [Account(owner) for owner in owners]
