"""What happens to agents in a life: calls at once, commands that go on, odd places, and ends that nobody planned.

Each is played with every agent, without us and with us where there is something to compare. What an agent cannot do
without us is no failing of ours: it is told as "not offered", with the reason.
"""

import os
import signal
import time
from collections.abc import Callable
from typing import NamedTuple

from e2e.abilities import abilities_of, offered_by, status_of
from e2e.canary_runs import WAYS
from e2e.leftovers import processes_of
from e2e.model import Asked, Call, Step
from e2e.places import (
    fetched,
    play_modes,
    play_no_home,
    play_odd_directory,
    play_own_hooks,
    play_read_only,
    play_shells,
    play_worktree,
)
from e2e.scenarios import LIMIT, a_part, is_view, noisy, shows_the_error
from e2e.stage import NotOffered, Stage, Start, Trial, is_lost, must_be_alike
from e2e.table import title_of
from e2e.talkative import ERROR, SECRET
from e2e.wiring import AGENTS

LONG, SHORT = 300_000, 1_000


class Situation(NamedTuple):
    """What happens, and what is tried."""

    says: str
    play: Callable[[Trial], None]


# -- calls at once -----------------------------------------------------------------------------------------------------


def play_parallel(trial: Trial) -> None:
    """Four calls in one turn: two long, one that fails, one short. Each result is that of its call."""
    shell = trial.agent.shell
    calls = [
        shell(f"python3 talkative.py say {LONG}; echo first"),
        shell("echo second; exit 3"),
        shell(f"python3 talkative.py say {LONG}; echo third; exit 3"),
        shell("echo fourth"),
    ]
    native, ours = trial.both([calls])
    for number, word in ((0, "first"), (2, "third")):
        is_view(ours.result(number))
        if abilities_of(trial.agent).drops_output or trial.agent.most_said is not None:
            continue
        shows_the_error(ours.result(number))
        assert word in ours.result(number), f"not the result of its call: {ours.result(number)!r}"
    status_of(trial.agent, ours.result(2))
    for number, word in ((1, "second"), (3, "fourth")):
        said = ours.result(number)
        assert word in said or is_lost(ours, number), f"not the result of its call: {said[:300]!r}"
        must_be_alike(native, ours, number)
    if abilities_of(trial.agent).drops_output:
        trial.notes.append("of long outputs of commands that run at once it loses parts, without us, too")


# -- commands that take their time -------------------------------------------------------------------------------------


def play_background(trial: Trial) -> None:
    """A command in the background says much while it runs, and is looked at."""
    ways = abilities_of(trial.agent)
    offered_by(trial.agent, "background", ways.background)
    assert ways.background is not None
    steps = ways.background(f"python3 talkative.py say 20000; sleep 5; echo over; python3 talkative.py say {SHORT}")
    native, ours = trial.both(list(steps))
    assert native.model.saw(ERROR), "without us the command's output did not reach the model"
    assert len(ours.results) == len(steps), f"{len(ours.results)} results of {len(steps)}"
    shown = "\n".join(ours.results)
    assert ERROR in shown, f"nothing of the command's output reached the model: {shown[:500]!r}"
    assert max(map(len, ours.results)) <= LIMIT + 1_000, f"{max(map(len, ours.results))} characters in one result"


def play_timeout(trial: Trial) -> None:
    """A command that takes too long is ended by the agent; what it had said is shown, as natively."""
    ways = abilities_of(trial.agent)
    offered_by(trial.agent, "timeout", ways.timed)
    assert ways.timed is not None

    def act(stage: Stage) -> None:
        stage.wire()
        ways.before_timed(stage.place)
        stage.set_up().run()

    short = ways.timed("echo before the end; sleep 31; printf 'nev%s' er")
    long = ways.timed(f"python3 talkative.py say {LONG}; sleep 32; printf 'nev%s' er")
    native, ours = trial.both([short, long], act)
    before, after = (stage.result(0) for stage in (native, ours))
    assert "never" not in after
    assert "before the end" in after or "before the end" not in before, f"what was said is lost: {after[:300]!r}"
    must_be_alike(native, ours, 0)
    if SECRET in native.result(1) or ERROR in native.result(1) or len(native.result(1)) > LIMIT:
        is_view(ours.result(1))


# -- the agent is killed -----------------------------------------------------------------------------------------------


def agent_processes(stage: Stage) -> list[int]:
    """The agent's own processes, which are programs of its package: not its commands, nor servers."""
    packages = os.path.dirname(stage.setting.programs)
    return [
        process.pid
        for process in processes_of(stage.place)
        if packages in process.line.partition(" -c ")[0] or program_of(process.pid).startswith(packages)
    ]


def program_of(pid: int) -> str:
    """The file that a process runs: some agents write another name over their command line."""
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return ""


def await_sight(what: str, seen: Callable[[], object], seconds: float = 60) -> None:
    latest = time.monotonic() + seconds
    while not seen():
        assert time.monotonic() < latest, f"{what} was not seen within {seconds} seconds"
        time.sleep(0.02)


def kill_agent(stage: Stage, what: str, seen: Callable[[], object]) -> None:
    """Start the agent, and kill it -9 the moment something is seen."""
    begun = stage.wire().set_up().begin()
    try:
        await_sight(what, seen)
        killed = agent_processes(stage)
        assert killed, "the agent was not running any more"
        for pid in killed:
            os.kill(pid, signal.SIGKILL)
    finally:
        if begun.process.poll() is None:
            begun.process.kill()
        stage.said.append(begun.wait())


def play_killed(trial: Trial) -> None:
    """The agent is killed -9 while a command runs, and while our hook does: nothing is left, and the next one works."""
    trial.is_compared = False
    command = trial.agent.shell(f"touch started; python3 talkative.py say {LONG}; sleep 4; echo late; touch ended")

    def in_a_command(stage: Stage) -> None:
        kill_agent(stage, "the command", lambda: os.path.exists(os.path.join(stage.place.project, "started")))

    trial.both([command], in_a_command)
    with trial.stage([command]) as stage:
        # Where a reader answers, no process is started for a hook: it looks at the result right after the command.
        ended = os.path.join(stage.place.project, "ended")
        kill_agent(
            stage,
            "our hook",
            lambda: os.path.exists(ended) or any("spill hook" in one.line for one in processes_of(stage.place)),
        )
        stage.model.script = [noisy(trial.agent, LONG), a_part]
        stage.model.requests.clear()
        stage.run(Start(prompt="go on"))
        is_view(stage.result(0))
        fetched(stage.result(1))


# -- sessions ----------------------------------------------------------------------------------------------------------

AGAIN = "please-go-on"


def play_resumed(trial: Trial) -> None:
    """A session is ended and resumed; the ids of before still answer, and what comes then is looked at, too."""
    agent = trial.agent
    resume = abilities_of(agent).resume
    offered_by(agent, "resumed", resume)
    assert resume is not None

    def later(step: Step) -> Step:
        def only_then(asked: Asked) -> Call | str:
            if AGAIN not in asked.text:
                return "That is all for now."
            said = step(asked) if callable(step) else step
            assert not isinstance(said, list)
            return said

        return only_then

    def act(stage: Stage) -> None:
        stage.wire().set_up().run()
        assert len(stage.results) == 1, f"{len(stage.results)} results before the end"
        stage.run(Start(prompt=AGAIN, words=resume(stage.place)))

    long, short = noisy(agent, LONG), agent.shell("echo here again; exit 3")
    with trial.stage([long, later(short), noisy(agent, 20_000)], with_us=False) as native:
        act(native)
    with trial.stage([long, later(a_part), short, noisy(agent, 20_000)]) as ours:
        act(ours)
    is_view(ours.result(0))
    fetched(ours.result(1))
    must_be_alike(native, ours, 1, others=2)
    is_view(ours.result(3))


def play_two(trial: Trial) -> None:
    """Two of the same agent run in one project at the same time: each gets its own results, and can fetch them."""
    agent = trial.agent
    words = ("left-hand", "right-hand")

    def act(stage: Stage) -> None:
        stage.wire().set_up().run()  # alone at first: in a fresh home two may stand in each other's way
        begun = [stage.begin(Start(prompt=f"do the {word} part")) for word in words]
        stage.said += [one.wait() for one in begun]

    def script(word: str, *more: Step) -> list[Step]:
        loud = agent.shell(f"python3 talkative.py say {LONG}; echo {word}; exit 3")
        return [agent.shell("sleep 3"), agent.shell(f"echo {word}"), loud, *more]

    with trial.stage([], with_us=False, others={word: script(word) for word in words}) as native:
        act(native)

    def part(asked: Asked) -> Call:
        return a_part(asked._replace(results=asked.results[2:]))

    with trial.stage([], others={word: script(word, part) for word in words}) as ours:
        act(ours)
    for word in words:
        must_be_alike(native, ours, 1, word)
        is_view(ours.result(2, word))
        assert word in ours.result(2, word), f"not its own result: {ours.result(2, word)!r}"
        status_of(agent, ours.result(2, word))
        fetched(ours.result(3, word))


def play_pair(trial: Trial) -> None:
    """Another agent works in the same project at the same time, set up by us, too: each gets its own results."""
    agent = trial.agent
    partner = AGENTS[abilities_of(agent).partner]
    words = {"left-hand": agent, "right-hand": partner}

    def script(word: str, *more: Step) -> list[Step]:
        shell = words[word].shell
        loud = shell(f"python3 talkative.py say {LONG}; echo {word}; exit 3")
        return [shell("sleep 3"), shell(f"echo {word}"), loud, *more]

    def act(stage: Stage) -> list[Stage]:
        both = [stage.wire().set_up(), stage.beside(partner)]
        begun = [one.begin(Start(prompt=f"do the {word} part")) for one, word in zip(both, words, strict=True)]
        stage.said += [one.wait() for one in begun]
        return both

    def part(asked: Asked) -> Call:
        return a_part(asked._replace(results=asked.results[2:]))

    with trial.stage([], with_us=False, others={word: script(word) for word in words}) as stage:
        native = act(stage)
    with trial.stage([], others={word: script(word, part) for word in words}) as stage:
        ours = act(stage)
    for before, after, word in zip(native, ours, words, strict=True):
        must_be_alike(before, after, 1, word)
        is_view(after.result(2, word))
        assert word in after.result(2, word), f"not its own result: {after.result(2, word)!r}"
        status_of(after.agent, after.result(2, word))
        fetched(after.result(3, word))
    trial.notes.append(f"beside {title_of(partner.name)}")


def play_subagent(trial: Trial) -> None:
    """A subagent runs a long command, fetches what was left out and reports; only its report reaches the main one."""
    agent = trial.agent
    subagent = abilities_of(agent).subagent
    offered_by(agent, "subagent", subagent)
    assert subagent is not None
    word, report = "search-the-blocks", "the subagent has found block 4711"
    end = abilities_of(agent).subagent_end(report)
    steps = [agent.shell("sleep 2"), *subagent(f"{word} and say what you find")]
    with trial.stage(steps, with_us=False, others={word: [noisy(agent, LONG, 3), end]}) as native:
        native.wire().set_up().run()
    if not native.model.results_of(word):
        raise NotOffered("its subagents did not run a command, without us neither")
    with trial.stage(steps, others={word: [noisy(agent, LONG, 3), a_part, end]}) as ours:
        ours.wire().set_up().run()
    is_view(ours.result(0, word))
    if agent.most_said is None:
        shows_the_error(ours.result(0, word))
    status_of(agent, ours.result(0, word))
    fetched(ours.result(1, word))
    assert report in "\n".join(ours.results), f"the report did not come: {ours.results[-1][:300]!r}"


# -- commands that want somebody to talk to ----------------------------------------------------------------------------

QUESTIONS = (
    "read -r answer; echo status $?, answer $answer",
    "cat; echo status $?",
    """python3 -c "import sys; print([stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)])" """,
    """python3 -c "input('name? ')" 2>&1 | tail -1""",
    "test -t 0; echo $?; test -t 1; echo $?; tty",
    "ls --color=auto -d talkative.py; git --no-pager log 2>&1 | head -1",
    "stty size 2>&1; tput cols 2>&1; echo $COLUMNS; exit 3",
)


def play_interactive(trial: Trial) -> None:
    """Commands that ask, or look whether somebody is there, get the answer that they get without us."""
    steps = [trial.agent.shell(command) for command in QUESTIONS]
    native, ours = trial.both(steps)
    for number in range(len(QUESTIONS)):
        must_be_alike(native, ours, number)
    terminal = WAYS[trial.agent.name].terminal if trial.agent.name in WAYS else None
    if terminal is None:
        return
    native, ours = trial.both([terminal(QUESTIONS[4]), terminal(QUESTIONS[2])])
    for number in range(2):
        must_be_alike(native, ours, number)
    trial.notes.append("also at a terminal, which it offers to commands")


SITUATIONS = {
    "parallel": Situation("four commands in one turn, two long, one failing", play_parallel),
    "background": Situation("a command goes on in the background and is looked at", play_background),
    "timeout": Situation("a command takes longer than the agent lets it", play_timeout),
    "killed": Situation("kill -9 of the agent, in a command and in our hook", play_killed),
    "interactive": Situation("commands that read, or look for a terminal", play_interactive),
    "subagent": Situation("a subagent runs a long command, fetches and reports", play_subagent),
    "resumed": Situation("a session is resumed, and fetches what it left out before", play_resumed),
    "two": Situation("two of the agent in one project at the same time", play_two),
    "pair": Situation("another agent in the same project at the same time", play_pair),
    "odd-path": Situation("quotes, blanks, `$`, a backslash or a line end in the project's path", play_odd_directory),
    "read-only": Situation("a checkout that cannot be written", play_read_only),
    "no-home": Situation("a home that cannot be written", play_no_home),
    "shells": Situation("zsh, dash and fish as login shells", play_shells),
    "worktree": Situation("a git worktree of a repository in which we are set up", play_worktree),
    "modes": Situation("plan and permission modes: the same is refused", play_modes),
    "own-hooks": Situation("a hook of the user's, and a server that is called `overspill`", play_own_hooks),
}
