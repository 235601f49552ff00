"""Views by `spill fit`, many in one process: jobs as JSON lines in, views as JSON lines out.

Run with the interpreter, and the PYTHONPATH, of the version that is judged. What was kept is handed back beside the
view where it is not the output itself (secrets and control characters are taken out before anything is kept): what a
view says is true or false of that.
"""

import glob
import io
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable


def main() -> None:
    from overspill.cli import main

    answers = sys.stdout
    for line in sys.stdin:
        job = json.loads(line)
        with tempfile.TemporaryDirectory() as root:
            os.environ["OVERSPILL_ROOT"] = root
            began = time.perf_counter()
            arguments = ["fit", job["path"], "--strategy", job["strategy"], "--limit", str(job["limit"])]
            status, view = _said(main.main, arguments)
            answer = {"view": view, "status": status, "seconds": time.perf_counter() - began}
            kept = _kept(main.main, root)
        with open(job["path"], encoding="utf-8", newline="") as file:
            if kept and kept != file.read():
                answer["kept"] = kept
        print(json.dumps(answer), file=answers, flush=True)


def _said(run: Callable[[list[str]], int], arguments: list[str]) -> tuple[int, str]:
    """What a command prints, and its status."""
    caught, printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline=""), sys.stdout
    sys.stdout = caught
    try:
        status = run(arguments)
    finally:
        sys.stdout = printed
    caught.flush()
    return status, caught.buffer.getvalue().decode("utf-8", "replace")


def _kept(run: Callable[[list[str]], int], root: str) -> str:
    """The text of the one artifact below this root."""
    found = glob.glob(os.path.join(root, "**", "art_*"), recursive=True, include_hidden=True)
    names = {os.path.basename(path).split(".")[0] for path in found}
    return _said(run, ["artifacts", "export", names.pop(), "-"])[1] if len(names) == 1 else ""


if __name__ == "__main__":
    main()
