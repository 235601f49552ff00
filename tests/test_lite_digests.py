"""Hashes are the same whichever library of Python computes them."""

import subprocess
import sys

import pytest

SCRIPT = """if True:
    import sys
    for name in sys.argv[1:]:
        sys.modules[name] = None  # as if Python had been built without
    from overspill._lite import sha256
    small = sha256(b"a")
    small.update(b"bc")
    print(small.hexdigest()[:8], sha256(b"abc", expected=1 << 20).hexdigest()[:8])
"""


@pytest.mark.parametrize("missing", [[], ["_sha2", "_sha256"], ["_hashlib"]], ids=["none", "built-in", "OpenSSL"])
def test_a_python_may_lack_one_of_them(missing: list[str]) -> None:
    ran = subprocess.run([sys.executable, "-c", SCRIPT, *missing], capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.stderr) == ("ba7816bf ba7816bf\n", "")
