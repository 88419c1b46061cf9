from parking import fee

print(fee(16))
