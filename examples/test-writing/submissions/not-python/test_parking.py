def test_fee()
    assert fee(16) == 200
