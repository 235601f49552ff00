"""What is written against a framework runs where it is installed: `make frameworks`. The tests here need none."""

from pathlib import Path

collect_ignore = [path.name for path in Path(__file__).parent.glob("*.py") if not path.name.startswith("test_")]
