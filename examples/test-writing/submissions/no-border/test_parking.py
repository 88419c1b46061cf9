from parking import fee


def test_fee():
    assert fee(5) == 0
    assert fee(30) == 200
    assert fee(90) == 400
