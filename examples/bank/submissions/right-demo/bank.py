from functools import wraps
from typing import Callable, Optional


class InsufficientFundsError(ValueError):
    pass


def positive(method: Callable) -> Callable:
    @wraps(method)
    def checked(self, amount):
        if amount <= 0:
            raise ValueError("amount must be positive")
        return method(self, amount)
    return checked


class Account:
    """An account."""
    def __init__(self, owner: str, balance: int = 0) -> None:
        if balance < 0:
            raise ValueError("balance must not be negative")
        self.owner = owner
        self.balance = balance

    @positive
    def deposit(self, amount: int) -> int:
        self.balance += amount
        return self.balance

    @positive
    def withdraw(self, amount: int) -> int:
        self._refuse(amount)
        self.balance -= amount
        return self.balance

    def _refuse(self, amount: int) -> None:
        if amount > self.balance:
            raise InsufficientFundsError(f"{self.owner} has only {self.balance} dollars")

    def _arguments(self) -> str:
        return f"{self.owner!r}, {self.balance!r}"

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({self._arguments()})"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Account) and vars(self)["owner"] == other.owner and self.balance == other.balance

    def __ne__(self, other):
        return not self == other


class SavingsAccount(Account):
    minimum = 10

    def __init__(self, owner: str, balance: int = 0, rate: int = 2) -> None:
        super().__init__(owner, balance)
        self.rate = rate

    def add_interest(self) -> int:
        interest, _ = divmod(self.balance * self.rate, 100)
        self.balance += interest
        return interest

    def _refuse(self, amount):
        if self.balance - amount < self.minimum:
            raise InsufficientFundsError("10 dollars must stay in the account")

    def _arguments(self):
        return super()._arguments() + f", rate={self.rate}"


def transfer(source, target, amount):
    source.withdraw(amount)
    try:
        target.deposit(amount)
    except Exception:
        source.balance += amount
        raise


def total(accounts):
    return sum(map(lambda a: a.balance, accounts))


def richest(accounts) -> Optional[Account]:
    try:
        most = max(a.balance for a in accounts)
    except ValueError:
        return None
    return next(a for a in accounts if a.balance == most)


def by_owner(accounts):
    return {a.owner: list(filter(lambda b: b.owner == a.owner, accounts)) for a in accounts}


def open_accounts(owners):
    return [Account(owner=name) for name in owners]


if __name__ == "__main__":
    ada = Account("Ada", 5)
    print(ada, SavingsAccount("Grace", 20))
