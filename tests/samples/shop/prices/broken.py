import os
import json


def parse(text: str) -> int:
    value = json.loads(text)
    return value["cents"] + "0"


def first(items: list[int]) -> str:
    return items[0]


parse(3)
print(first([1]).uper())
