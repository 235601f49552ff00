"""Opens the store that is meant: from a root, a session, limits, and what the environment says."""

import os
from collections.abc import Mapping

from overspill.errors import OverspillError
from overspill.files.place import STORAGE, Place, choose, state_directory
from overspill.files.safe import in_words
from overspill.store import sessions
from overspill.store.clock import Clock, moment
from overspill.store.files import FileStore
from overspill.store.quota import Limits
from overspill.workspace.root import find_root, named_root


def open_store(
    root: str | None = None,
    session: str | None = None,
    *,
    own: bool = False,
    environ: Mapping[str, str] | None = None,
    storage: str = STORAGE,
    limits: Limits = Limits(),  # noqa: B008  # a frozen value
    lazy: bool = False,
    compress: bool = False,
    anchor: int | None = None,
    clock: Clock = moment,
) -> FileStore:
    """The store of a root and a session. Nothing is made on disk before something is kept.

    Without a `root` it is found from the working directory; without a `session`, from the environment.
    With `own`, a session without a name belongs to this process alone and lives as long as it does.
    `notice` of the result says when artifacts cannot be kept below the root and where they go instead.
    """
    environ = os.environ if environ is None else environ
    explicit = named_root(root, environ) is not None
    root = root or find_root(None, environ, os.getcwd())
    state = state_directory(environ)
    if storage.startswith("/"):
        root, storage, explicit = os.path.dirname(storage), os.path.basename(storage), True
    place, also, notice = choose(root, storage, state, explicit=explicit)
    meant = sessions.fresh() if own and not session else sessions.resolve(session, environ)
    if meant.roams:
        meant = _current(place, meant)
    return FileStore(
        place,
        meant,
        limits=limits,
        lazy=lazy,
        compress=compress,
        state=state,
        also=also,
        notice=notice,
        anchor=os.getpid() if own else anchor,
        hold=own,
        clock=clock,
    )


def _current(place: Place, meant: sessions.Session) -> sessions.Session:
    """The session that stands in for the root's own, if one was started."""
    try:
        outer = place.open()
    except (OSError, OverspillError):
        return meant  # said in full by the first call that needs it
    if outer is None:
        return meant
    try:
        with in_words("looking for the current session"):
            current = sessions.current(outer)
    finally:
        os.close(outer)
    return current or meant
