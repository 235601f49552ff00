import unittest

from prices.totals import Line, cheapest, total


class Totals(unittest.TestCase):
    def test_counts_every_piece(self):
        self.assertEqual(total([Line("tea", 250, 3)]), 750)

    def test_takes_the_discount_off(self):
        self.assertEqual(total([Line("tea", 1000)], discount=0.1), 899)

    def test_finds_the_cheapest(self):
        self.assertEqual(cheapest([Line("tea", 250), Line("jam", 199)]).name, "jam")

    def test_refuses_a_discount_of_all(self):
        with self.assertRaises(ValueError):
            total([], discount=1)

    def test_breaks(self):
        raise RuntimeError("the till is closed")


if __name__ == "__main__":
    unittest.main()
