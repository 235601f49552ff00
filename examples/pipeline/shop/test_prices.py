"""What is tested of the shop before anybody works on it."""

import unittest

import prices


class Total(unittest.TestCase):
    """Carts."""

    def test_a_voucher_is_taken_off(self) -> None:
        """A cart with a voucher."""
        self.assertEqual(prices.total([10_00, 5_00], voucher=3_00), 12_00)  # noqa: PT009  # run by unittest


if __name__ == "__main__":
    unittest.main()
