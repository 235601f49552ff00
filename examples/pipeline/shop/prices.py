"""A small shop: what the three phases work on."""

FREE_FROM = 50_00


def net(gross: int, percent: int = 20) -> int:
    """The price in cents without its tax, rounded to the nearest cent."""
    return round(gross * 100 / (100 + percent))


def total(prices: list[int], voucher: int = 0) -> int:
    """What a cart costs in cents; a voucher never makes it cheaper than nothing."""
    return max(0, sum(prices) - voucher)


def shipping(cents: int) -> int:
    """Free from fifty on."""
    return 0 if cents >= FREE_FROM else 4_90
