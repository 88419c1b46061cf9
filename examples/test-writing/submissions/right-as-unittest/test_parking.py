import unittest
import parking


class TestFee(unittest.TestCase):
    def test_hours(self):
        for minutes, cents in [(0, 0), (15, 0), (16, 200), (60, 200), (61, 400)]:
            with self.subTest(minutes=minutes):
                self.assertEqual(parking.fee(minutes), cents)

    def test_days(self):
        self.assertEqual(parking.fee(10 * 60), 1500)
        self.assertEqual(parking.fee(24 * 60 + 1), 1700)
        self.assertEqual(parking.fee(3 * 24 * 60), 4500)

    def test_below_0(self):
        with self.assertRaises(ValueError) as caught:
            parking.fee(-5)
        self.assertEqual(str(caught.exception), "minutes below 0")


class TestCarPark(unittest.TestCase):
    def setUp(self):
        self.park = parking.CarPark(2)
        self.ticket = self.park.enter("ab 1")

    def test_ticket(self):
        self.assertEqual(self.ticket, 1)
        self.assertEqual(self.park.free, 1)

    def test_used_up_numbers(self):
        self.assertEqual(self.park.leave(self.ticket), "ab 1")
        self.assertEqual(self.park.free, 2)
        self.assertEqual(self.park.enter("ab 1"), 2)

    def test_full(self):
        self.park.enter("ab 2")
        self.assertIsNone(self.park.enter("ab 3"))
        self.park.leave(1)
        self.assertEqual(self.park.enter("ab 3"), 3)

    def test_twice(self):
        self.assertRaises(ValueError, self.park.enter, "AB 1")

    def test_tickets_work_once(self):
        self.park.leave(1)
        self.assertRaises(KeyError, self.park.leave, 1)
        self.assertRaises(KeyError, self.park.leave, 9)
