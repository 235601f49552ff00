"""Where agents run: in odd directories, ones that cannot be written, worktrees, other shells, with rules and hooks.

What needs another view of the file system is started in a mount namespace of its own, which ends with the agent.
"""

import os
import shutil
import subprocess

from e2e.abilities import Words, abilities_of, offered_by, status_of
from e2e.leftovers import base_of
from e2e.model import Call, Step
from e2e.running import HERE, CouldNotRun
from e2e.scenarios import a_part, is_view, noisy, patience
from e2e.stage import NotOffered, Stage, Start, Trial, is_lost, must_be_alike

LONG, MIDDLE, SHORT = 300_000, 20_000, 1_000
FETCHED = "the block was written"


def fetched(text: str) -> None:
    assert FETCHED in text, f"what was left out did not come: {text[:300]!r}"


# -- names -------------------------------------------------------------------------------------------------------------

ODD_NAMES = ("it's a $HOME of $(id) and `id`", 'of "quotes"', "back\\slash", "two\nlines of words")


def play_odd_directory(trial: Trial) -> None:
    """The project's path holds quotes, blanks, a dollar sign, backticks; a backslash; a line end."""
    agent = trial.agent
    long, short = noisy(agent, LONG, 3), agent.shell('basename "$PWD" | tail -1; exit 3')
    for name in ODD_NAMES:
        try:
            with trial.stage([long, short], with_us=False, project=name) as native:
                native.wire().run()
                assert name.splitlines()[-1] in native.result(1) or is_lost(native, 1)
        except (CouldNotRun, AssertionError):
            trial.notes.append(f"without us it does not work in {name!r} either")
            continue
        refused = abilities_of(agent).no_project_path
        with trial.stage([long, a_part, short], project=name) as ours:
            if refused and refused in name:
                trial.notes.append(f"it loads no extension from {name!r}, so there it is set up with --global")
                ours.agent = agent._replace(init=("--global",))
            ours.wire().set_up().run()
        is_view(ours.result(0))
        status_of(agent, ours.result(0))
        fetched(ours.result(1))
        must_be_alike(native, ours, 1, others=2)


# -- directories that cannot be written --------------------------------------------------------------------------------


def in_namespace(mount: str, *values: str) -> list[str]:
    """A command that starts another one with mounts of its own, made by a line of a shell whose $1 ... are values."""
    line = f'{mount} || exit 90; shift {len(values)}; cd "$PWD" && exec "$@"'
    return ["unshare", "-m", "sh", "-c", line, "sh", *values]


def frozen(directory: str) -> list[str]:
    """A command that starts another one for which a directory cannot be written, not even by root."""
    return in_namespace('mount --bind "$1" "$1" && mount -o remount,ro,bind "$1"', directory)


def needs_namespaces() -> None:
    if subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode:
        raise CouldNotRun("mount namespaces need root")


def play_read_only(trial: Trial) -> None:
    """The checkout cannot be written."""
    needs_namespaces()
    agent = trial.agent
    steps = [agent.shell("touch made || exit 3"), noisy(agent, LONG)]

    why = abilities_of(agent).project_writes
    if why:
        trial.notes.append(f"{why}, so it is set up with --global")

    def run_frozen(stage: Stage) -> None:
        if why:
            stage.agent = agent._replace(init=("--global",))
        stage.wire().set_up()
        stage.run(Start(before=frozen(stage.place.project)))

    with trial.stage(steps, with_us=False) as native:
        run_frozen(native)
    native_must_run(native, "does not run where the checkout cannot be written")
    with trial.stage([*steps, lambda asked: a_part(asked._replace(results=asked.results[1:]))]) as ours:
        run_frozen(ours)
    must_be_alike(native, ours, 0)
    assert "Read-only file system" in ours.result(0)
    is_view(ours.result(1))
    fetched(ours.result(2))


def native_must_run(stage: Stage, reason: str) -> None:
    if not stage.results:
        raise NotOffered(f"it {reason}, without us neither")


def play_no_home(trial: Trial) -> None:
    """The home cannot be written; the agent's own files lie elsewhere, where it lets one choose."""
    needs_namespaces()
    agent = trial.agent
    # Hidden in a shell of its own: some agents read what a command names, and ask about paths outside of the project.
    steps = [agent.shell("sh -c 'touch \"$HOME/made\"' || exit 3"), noisy(agent, LONG)]

    def run_frozen(stage: Stage) -> None:
        stage.wire()
        start = Start(environ=moved_files(stage), before=frozen(stage.place.home))
        stage.set_up(start).run(start)

    try:
        with trial.stage(steps, with_us=False) as native:
            run_frozen(native)
    except CouldNotRun:
        raise NotOffered("it does not run with a home that cannot be written, without us neither") from None
    with trial.stage([*steps, lambda asked: a_part(asked._replace(results=asked.results[1:]))]) as ours:
        run_frozen(ours)
    must_be_alike(native, ours, 0)
    is_view(ours.result(1))
    fetched(ours.result(2))


def moved_files(stage: Stage) -> dict[str, str]:
    """The variables by which the agent finds its own files elsewhere than at home; they are there."""
    variables = {}
    for variable, folder in abilities_of(stage.agent).homes.items():
        there = os.path.join(base_of(stage.place), "elsewhere", folder or "home")
        here = os.path.join(stage.place.home, folder)
        if os.path.isdir(here):
            shutil.copytree(here, there)
        else:
            os.makedirs(there)
        variables[variable] = there
    return variables


# -- login shells ------------------------------------------------------------------------------------------------------


def login_shell(stage: Stage, shell: str) -> Start:
    """How an agent is started by somebody who has this shell."""
    with open("/etc/passwd", encoding="utf-8") as file:
        lines = [line.split(":") for line in file.read().splitlines()]
    mine = str(os.getuid())
    text = "".join(":".join([*fields[:6], shell if fields[2] == mine else fields[6]]) + "\n" for fields in lines)
    stage.place.write("../passwd", text)
    before = in_namespace('mount --bind "$1" /etc/passwd', os.path.join(base_of(stage.place), "passwd"))
    return Start(environ={"SHELL": shell}, before=before)


def play_shells(trial: Trial) -> None:
    """The user's login shell is zsh, dash or fish."""
    needs_namespaces()
    for name in ("zsh", "dash", "fish"):
        shell = shutil.which(name)
        if shell is None:
            trial.notes.append(f"{name} is not installed")
            continue
        agent = trial.agent
        steps = [
            agent.shell("echo to the output; sleep 0.3; echo to the errors >&2; exit 3"),
            agent.shell("sh -c 'ps -o comm= -p $PPID'; true"),
            noisy(agent, MIDDLE, 3),
            noisy(agent, SHORT),
        ]

        def act(stage: Stage, shell: str = shell) -> None:
            stage.wire().set_up().run(login_shell(stage, shell))

        native, ours = trial.both(steps, act)
        must_be_alike(native, ours, 0)
        is_view(ours.result(2))
        status_of(agent, ours.result(2))
        assert "REDACTED" in ours.result(3), f"nothing was redacted: {ours.result(3)[:300]!r}"
        used = next((known for known in ("bash", "zsh", "dash", "fish", "sh") if known in native.result(1)), "another")
        trial.notes.append(f"where the login shell is {name}, its commands run in {used}")


# -- worktrees ---------------------------------------------------------------------------------------------------------


def play_worktree(trial: Trial) -> None:
    """The agent runs in a git worktree beside the repository in which we were set up, and committed."""
    agent = trial.agent
    steps = [agent.shell("git rev-parse --abbrev-ref HEAD; exit 3"), noisy(agent, LONG)]

    def run_beside(stage: Stage) -> None:
        stage.wire().set_up()
        tree = os.path.join(base_of(stage.place), "tree")
        git = ["git", "-C", stage.place.project, "-c", "user.name=me", "-c", "user.email=me@example.com"]
        for words in (["add", "-A"], ["commit", "-qm", "all"], ["worktree", "add", "-q", "-b", "beside", tree]):
            subprocess.run([*git, *words], check=True, capture_output=True)
        stage.run(Start(directory=tree))

    with trial.stage(steps, with_us=False) as native:
        run_beside(native)
    with trial.stage([*steps, lambda asked: a_part(asked._replace(results=asked.results[1:]))]) as ours:
        run_beside(ours)
    assert "beside" in ours.result(0) or is_lost(ours, 0)
    must_be_alike(native, ours, 0)
    is_view(ours.result(1))
    fetched(ours.result(2))


# -- modes -------------------------------------------------------------------------------------------------------------


def play_modes(trial: Trial) -> None:
    """In each of the agent's modes what is refused without us is refused with us, and the rest is allowed."""
    agent = trial.agent
    modes = abilities_of(agent).modes
    offered_by(agent, "modes", modes or None)
    project: list[str] = []  # where the agent is just now: some want whole paths
    for name, words in modes.items():
        steps: list[Step] = [
            agent.shell("pwd"),
            agent.shell("seq 1 9"),
            agent.shell("touch made-by-a-command"),
            lambda _: agent.write(os.path.join(project[-1], "made-by-a-tool"), "text\n"),
            agent.shell("touch ~/made-at-home"),
        ]

        def act(stage: Stage, words: Words = words) -> None:
            project.append(stage.place.project)
            stage.wire().set_up().run(Start(words=words))

        native, ours = trial.both(steps, act)
        counts = len(native.results), len(ours.results)
        assert counts[0] == counts[1], f"{name}: {counts[1]} calls, and without us {counts[0]}"
        for number in range(len(native.results)):
            must_be_alike(native, ours, number)
        trial.notes.append(name)
    trial.notes[:] = [f"modes: {', '.join(trial.notes)}"]


# -- what the user has already -----------------------------------------------------------------------------------------


def play_own_hooks(trial: Trial) -> None:
    """The user has a hook after every call and a server that is called `overspill`: both stay, and ours fits beside."""
    agent = trial.agent
    write_hooks = abilities_of(agent).own_hooks
    offered_by(agent, "own-hooks", write_hooks)
    assert write_hooks is not None
    name = "overspill"
    if why := abilities_of(agent).lacking.get("own-server"):
        trial.notes.append(why)
        name = "theirs"
    servers = {name: ["python3", os.path.join(HERE, "talkative.py"), "serve", str(SHORT)]}
    theirs = [] if "bare" in agent.lacks else [Call("plain", {})]
    steps = [patience(agent), agent.shell("echo short; exit 3"), *theirs, noisy(agent, LONG)]
    calls = []

    def act(stage: Stage) -> None:
        stage.wire()
        write_hooks(stage.place)
        stage.set_up().run()
        with open(os.path.join(stage.place.home, "theirs.log"), encoding="utf-8") as file:
            calls.append(len(file.read().splitlines()))

    native, ours = trial.both(steps, act, servers=servers)
    for number in range(1, len(steps) - 1):
        must_be_alike(native, ours, number)
    assert not theirs or FETCHED in ours.result(2), f"their server did not answer: {ours.result(2)[:300]!r}"
    is_view(ours.result(len(steps) - 1))
    assert calls[0], "without us their hook did not run"
    assert calls[1] >= calls[0], f"their hook ran {calls[1]} times, and without us {calls[0]} times"
