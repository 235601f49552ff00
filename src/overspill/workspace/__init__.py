"""The world of one call, found once: root, session and settings, and the policy, redactor, store and journal of them.

Whoever begins a call (the API, the command line, the MCP server, a hook) finds a `Workspace`, or makes one of what it
was handed, and hands it down. What it is handed to looks for no root, reads no settings files and opens no journal of
its own. `retrieve`, `fit`, `handoff` and all that comes after them may import this package.
"""

from __future__ import annotations

import os

from overspill import cut
from overspill._lite import TYPE_CHECKING, suppress
from overspill.core.markers import CallFormat, tool_call, whole_only
from overspill.errors import BucketError, ConfigError, MissingExtra, OverspillError
from overspill.journal import Journal, joined_journals
from overspill.redact import redact_text
from overspill.settings import Settings, Values, load
from overspill.workspace.opening import find_root, working_directory
from overspill.workspace.policy import (
    ToolRules,
    budget_of,
    counted_as,
    named_window,
    policy_of,
    redactor_of,
    with_rules,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from overspill.core.budget import Budget, ModelWindow, Policy
    from overspill.core.report import Artifact
    from overspill.database import FleetDatabase
    from overspill.files import StorePlace
    from overspill.ledger import Ledger
    from overspill.ledger.engine import Engine
    from overspill.redact import Redactor
    from overspill.settings.paths import SettingPath
    from overspill.store import Store
    from overspill.store.files import FileStore

AGENT_PRESET = "agent"
BUCKET: SettingPath = "tools.truncation.artifacts.store"


class Workspace:
    """A root, a session and settings, and what they ask for: each is made once, when it is first needed."""

    def __init__(
        self,
        root: str,
        settings: Settings,
        *,
        named_root: str | None = None,
        session: str | None = None,
        store: Store | None = None,
        call_format: CallFormat = tool_call,
        journal: Journal | None = None,
        on_event: Journal | None = None,
        redactor: Redactor | None = None,
        lazy: bool = False,
        notify: Callable[[str], None] | None = None,
        forgiving: bool = False,
    ) -> None:
        self.root = root
        self.origin: dict[str, object] = {}
        """What every logged result of this workspace carries: which agent it came from, and by which door."""
        self.notes_marks = False
        """Whether the marks of its views are remembered, for whoever looks at what is written into files."""
        self._forgiving = forgiving
        self.settings = settings
        self.write_calls(call_format)
        self._named_root = named_root
        self._session = session
        self._own_session = False
        self._lazy = lazy
        self._notify = notify
        self._listeners = (journal, on_event)
        self._policies: dict[str, Policy] = {}
        self._rules: dict[str, ToolRules] = {}
        self._window: ModelWindow | None = None
        self._redactor = redactor
        self._variables: Mapping[str, str] = {}
        self._store = store
        self._journal: Journal | None = None
        self.beside_store: Journal | None = None
        """Who listens beside the journal of a store that was handed in, and hears of artifacts only from us."""
        if store is not None:
            self.beside_store = joined_journals(self._watched(journal), self._watched(on_event))
            own = None if journal is not None else self._watched(getattr(store, "on_event", None))
            self._journal = joined_journals(own, self.beside_store)

    @classmethod
    def find(
        cls,
        *,
        root: str | None = None,
        session: str | None = None,
        config_file: str | None = None,
        flags: Mapping[str, object] | None = None,
        call_format: CallFormat = tool_call,
        notify: Callable[[str], None] | None = None,
        forgiving: bool = False,
    ) -> Workspace:
        """The one of the working directory or of a named root. What is odd about its settings is notified, once.

        With `forgiving`, so is what is wrong with them, and the last good value or the default is used.
        """
        home = find_root(root, os.environ, working_directory())
        settings = load(
            home,
            environ=os.environ,
            flags=flags or {},
            preset=AGENT_PRESET,
            config_file=config_file,
            strategies=cut.names,
            forgiving=forgiving,
        )
        if notify is not None:
            for warning in (*settings.warnings, *settings.mistakes):
                notify(redact_text(warning))
        return cls(
            home,
            settings,
            named_root=root,
            session=session,
            call_format=call_format,
            notify=notify,
            forgiving=forgiving,
        )

    def listen(self, on_event: Journal) -> None:
        """Let somebody else hear what happens from here on, before the store is opened."""
        journal, before = self._listeners
        self._listeners = (journal, joined_journals(before, on_event))

    def write_calls(self, call_format: CallFormat) -> None:
        """Write the calls that fetch artifacts in this form; of whole artifacts where no parts may be asked for."""
        parts = self.settings.flag("tools.truncation.artifacts.enable_partial_retrieval")
        self.call_format = call_format if parts else whole_only(call_format)

    def policy(
        self,
        tool: str = "",
        budget: Budget | int | None = None,
        strategy: str | None = None,
        focus: str | None = None,
    ) -> Policy:
        """What `tool` is allowed, with a budget, a strategy or a focus of this call alone."""
        policy = self._policies.get(tool)
        if policy is None:
            policy = self._policy_of(tool)
            rules = self._rules.get(tool)
            policy = policy if rules is None else with_rules(policy, self.settings, tool, rules)
            self._policies[tool] = policy
        if budget is not None:
            policy = policy._replace(inline=counted_as(budget_of(budget), policy.inline))
        if strategy is not None:
            policy = policy._replace(strategy=cut.known_name(strategy))
        if focus:
            policy = policy._replace(options=policy.options._replace(focus=focus))
        return policy

    def _policy_of(self, tool: str) -> Policy:
        try:
            return policy_of(self.settings, tool, self.window)
        except MissingExtra as error:
            if not self._forgiving:
                raise
            self._tell_mistake(f"tokens.counter: {error}; tokens are estimated")
            values = Values({**self.settings.values, "tokens.counter": "chars4"})
            self.settings = self.settings._replace(values=values)
            return policy_of(self.settings, tool, self.window)

    @property
    def window(self) -> ModelWindow | None:
        """The window of whoever reads the views, as the host or the settings name it; None where nobody does."""
        return self._window or named_window(self.settings)

    def note_window(self, window: ModelWindow) -> None:
        """A host says which model reads the views, and how full its window is. The settings' own model stands."""
        named = named_window(self.settings)
        self._window = window if named is None else named._replace(used=window.used)
        self._policies.clear()

    def note_tool(self, tool: str, rules: ToolRules | None) -> None:
        """A tool says how its results are shown, or no longer does."""
        if self._rules.get(tool) == rules:
            return
        self._policies.pop(tool, None)
        if rules is None:
            self._rules.pop(tool, None)
        else:
            self._rules[tool] = rules

    @property
    def redactor(self) -> Redactor | None:
        """What hides secrets; None where the user has switched it off."""
        if self._redactor is None:
            environ = {**os.environ, **self._variables}
            self._redactor = redactor_of(self.settings, environ, self._tell_mistake if self._forgiving else None)
        return self._redactor

    def know_variables(self, variables: Mapping[str, str]) -> None:
        """Hide what is secret among these, too: variables of a command, which are none of ours."""
        if variables:
            self._variables = variables
            self._redactor = None

    def _tell_mistake(self, words: str) -> None:
        """Note what is wrong with a setting, and is found only when it is used."""
        self.settings = self.settings._replace(mistakes=(*self.settings.mistakes, words))
        if self._notify is not None:
            self._notify(redact_text(words))

    def redacted_text(self, text: str) -> str:
        """A text as it may be shown, whatever its length: without its secrets."""
        return text if self.redactor is None else self.redactor.redact(text).text

    @property
    def store(self) -> Store:
        """Where what does not fit is kept: files below the root, unless another store was handed in."""
        if self._store is None:
            self._store = self._opened_files()
        return self._store

    @property
    def files(self) -> FileStore:
        """The store, as files, for those who look after them, as the command line does."""
        from overspill.store.files import FileStore

        store = self.store
        if not isinstance(store, FileStore):
            raise TypeError("a store that was handed in need not be files")
        return store

    def _opened_files(self) -> FileStore:
        from overspill.workspace.opening import journal_at, locate_store, open_files

        location = locate_store(
            self._named_root,
            self._session,
            own=self._own_session,
            storage=self.settings.text("tools.truncation.artifacts.storage_path"),
        )
        journal, on_event = self._listeners
        written = journal_at(location, self.root, self.settings) if journal is None else journal
        self._journal = self._watched(joined_journals(written, on_event))
        if location.notice and self._notify:
            self._notify(location.notice)
        return self._with_bucket(
            lambda: open_files(location, self.settings, lazy=self._lazy, on_event=self._journal, notify=self._notify)
        )

    def _with_bucket(self, opened: Callable[[], FileStore]) -> FileStore:
        """The store, without its bucket where that cannot be used and no result may be lost for it."""
        try:
            return opened()
        except (MissingExtra, ConfigError) as error:
            if not self._forgiving or self.settings.get(BUCKET) is None:
                raise
            self._tell_mistake(f"{error}; artifacts are kept here only")
            self.settings = self.settings._replace(values=Values({**self.settings.values, BUCKET: None}))
            return opened()

    def _watched(self, journal: Journal | None) -> Journal | None:
        """A journal that is also told when a threshold of the settings is crossed."""
        if journal is None:
            return None
        from overspill.workspace.opening import with_thresholds

        return with_thresholds(journal, self.settings)

    @property
    def journal(self) -> Journal | None:
        """Who is told what happens: the log of the root and whoever listens; None if nobody does."""
        if self._store is None and (any(self._listeners) or self.settings.flag("journal.enabled")):
            with suppress(OverspillError, OSError):
                _ = self.store  # whose session an event belongs to, and where the log lies
        return self._journal

    def tell(self, event: str, facts: Mapping[str, object]) -> None:
        """Tell the journal what happened."""
        if self.journal is not None:
            self.journal(event, facts)

    def tell_created(self, artifact: Artifact) -> None:
        """Tell of a new artifact those whom a store that was handed in does not tell."""
        if self.beside_store is not None:
            from overspill.journal import creation_facts

            self.beside_store("create", creation_facts(artifact))

    @property
    def has_short_ids(self) -> bool:
        """Whether people and models are told short forms of ids: not where the specification's forms are kept."""
        return self.settings.text("tools.truncation.marks") == "short"

    def short_id(self, artifact_id: str) -> str:
        """What people and models are told for an id."""
        from overspill.store import ShortIds, ids_of

        if not self.has_short_ids:
            return artifact_id
        try:
            return ShortIds(ids_of(self.store, near=True))(artifact_id)
        except (OverspillError, OSError):
            return artifact_id

    @property
    def logs(self) -> StorePlace:
        """Where the journal lies: beside the artifacts where the root itself may not be written."""
        from overspill.workspace.opening import logs_of

        return logs_of(self.files, self.root)

    def ledger_path(self, *, make: bool = False) -> str:
        """The path of the ledger of the root; its directory is made if that is asked for."""
        from overspill.workspace.opening import ledger_path

        return ledger_path(self.files, self.root, make=make)

    def ledger(self, *, write: bool = False, who: str | None = None) -> Ledger:
        """The ledger of the root, or of a fleet; whoever only reads makes none. `who` is said to do what is done."""
        from overspill.ledger import Ledger  # it loads a database
        from overspill.workspace.opening import author

        place: str | Engine
        if (database := self.database) is None:
            place = self.ledger_path(make=write)
        else:
            from overspill.ledger.postgres import LedgerTables

            place = LedgerTables(database)
        redact = self.redacted_text if write else str
        return Ledger(place, who=author(who, self._session, os.environ), redact=redact, create=write)

    @property
    def has_ledger(self) -> bool:
        """Whether there may be tasks: a file, or a database that somebody named."""
        return self.database is not None or os.path.lexists(self.ledger_path())

    @property
    def database(self) -> FleetDatabase | None:
        """The database of a fleet, if one is named."""
        named = self.settings.values["fleet.database"]
        if named is None:
            # Whoever runs this meant a database: tasks that went into a file instead would be found by nobody.
            for mistake in self.settings.mistakes:
                if "fleet.database: expected" in mistake and not mistake.startswith(self.root):
                    raise ConfigError(mistake.partition("; it is left out")[0])
            return None
        from overspill.database import FleetDatabase

        return FleetDatabase.of_setting(str(named), self.settings.text("fleet.project"), os.environ)

    def read_all_sessions(self) -> None:
        """Let every live session of the root be read, unless somebody named one.

        Agents begin new sessions and keep the servers they started.
        """
        from overspill.store.files import FileStore

        if isinstance(self.store, FileStore) and not self._session and not os.environ.get("OVERSPILL_SESSION"):
            self.store.session = self.store.session._replace(roams=True)

    def begin(self) -> None:
        """Begin a session of this process alone, unless one was named or a store handed in."""
        self._own_session = self._store is None and self._session is None

    def end(self) -> None:
        """End it: what it kept is gone, unless `artifacts.cleanup_on_exit` says otherwise."""
        if self._store is None:
            return
        if self._own_session and self.settings.flag("tools.truncation.artifacts.cleanup_on_exit"):
            with suppress(BucketError):  # it goes when nobody has used it for its time
                self._store.clear()
        self._store.close()
