"""Views by `spill fit`, many in one process: jobs as JSON lines in, views as JSON lines out.

Run with the interpreter, and the PYTHONPATH, of the version that is judged.
"""

import io
import json
import os
import sys
import tempfile
import time


def main() -> None:
    from overspill.cli import main

    with tempfile.TemporaryDirectory() as root:
        os.environ["OVERSPILL_ROOT"] = root
        answers = sys.stdout
        for line in sys.stdin:
            job = json.loads(line)
            caught = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")
            sys.stdout = caught
            began = time.perf_counter()
            try:
                status = main.main(["fit", job["path"], "--strategy", job["strategy"], "--limit", str(job["limit"])])
            finally:
                sys.stdout = answers
            seconds = time.perf_counter() - began
            caught.flush()
            view = caught.buffer.getvalue().decode("utf-8", "replace")
            print(json.dumps({"view": view, "status": status, "seconds": seconds}), flush=True)


if __name__ == "__main__":
    main()
