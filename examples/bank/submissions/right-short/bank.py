"""Bank accounts, shortly."""


class InsufficientFundsError(ValueError):
    pass


class Account:
    def __init__(self, owner, balance=0):
        if balance < 0:
            raise ValueError("balance must not be negative")
        self.owner, self.balance = owner, balance

    def __repr__(self):
        return "Account(" + repr(self.owner) + ", " + str(self.balance) + ")"

    def __eq__(self, other):
        return isinstance(other, Account) and self.owner == other.owner and self.balance == other.balance

    def deposit(self, amount):
        if amount < 1:
            raise ValueError("amount must be positive")
        self.balance = self.balance + amount
        return self.balance

    def check(self, amount):
        if amount > self.balance:
            raise InsufficientFundsError(self.owner + " has only " + str(self.balance) + " dollars")

    def withdraw(self, amount):
        if amount < 1:
            raise ValueError("amount must be positive")
        self.check(amount)
        self.balance = self.balance - amount
        return self.balance


class SavingsAccount(Account):
    def __init__(self, owner, balance=0, rate=2):
        Account.__init__(self, owner, balance)
        self.rate = rate
        self.earned = 0

    def __repr__(self):
        return f"SavingsAccount({self.owner!r}, {self.balance!r}, rate={self.rate!r})"

    def add_interest(self):
        before = self.balance
        self.balance += before * self.rate // 100
        self.earned += self.balance - before
        return self.balance - before

    def check(self, amount):
        if self.balance < amount + 10:
            raise InsufficientFundsError("10 dollars must stay in the account")


def transfer(source, target, amount):
    source.withdraw(amount)
    target.deposit(amount)


def total(accounts):
    money = 0
    for account in accounts:
        money += account.balance
    return money


def richest(accounts):
    if accounts == []:
        return None
    best = accounts[0]
    for account in accounts[1:]:
        if account.balance > best.balance:
            best = account
    return best


def by_owner(accounts):
    result = {}
    for account in accounts:
        if account.owner not in result:
            result[account.owner] = []
        result[account.owner].append(account)
    return result


def open_accounts(owners):
    result = []
    for owner in owners:
        result.append(Account(owner, 0))
    return result
