"""`spill artifacts put`: keep a text that nobody has to look at now."""

from __future__ import annotations

from itertools import chain

from overspill._lite import TYPE_CHECKING
from overspill.cli.artifacts import artifact_fields
from overspill.cli.opening import open_workspace, path_from_root
from overspill.cli.output import StopSignals, input_chunks, note, print_answer
from overspill.errors import InputError, OverspillError, UsageError
from overspill.fit.flow import ingest, keep_whole, safe_call
from overspill.fit.prepare import MEDIA_TYPES, ToolCall, media_type_by_name
from overspill.kinds import sniff

if TYPE_CHECKING:
    from collections.abc import Iterator

    from overspill.cli.arguments import CommandCall


def run(call: CommandCall) -> int:
    """Keep a file or standard input, cleaned and redacted like everything that is kept, and print its id."""
    with StopSignals() as stop:
        status = keep_input(call, input_chunks(call.arguments, stop, watched=True))
        return stop.status or status


def keep_input(call: CommandCall, chunks: Iterator[bytes]) -> int:
    """Keep what comes, as far as it comes."""
    workspace = open_workspace(call)
    tool, name = call.text("--tool") or "", call.arguments[0] if call.arguments else "-"
    source = call.text("--source") or ("" if name == "-" else path_from_root(workspace, name))
    first = next(chunks, b"")
    second, rest = next_or_failure(chunks)
    content_type = call.text("--type") or media_type_of(first, name, whole=not second)
    # A source is often a command line, and command lines hold secrets, too; so may every other word.
    about = safe_call(workspace, ToolCall(tool, source=source, content_type=content_type))
    policy = workspace.policy(tool)._replace(store=True, on_oversize="error", strategy="tail")
    policy = policy._replace(keep_binary=policy.keep_binary or call.flag("--binary"))
    prepared = ingest(workspace, chain((first, second), rest), policy, about, most=policy.max_artifact_size)
    if (kind := prepared.cleaned.get("binary")) and not policy.keep_binary:
        raise UsageError(
            f"{name[:200]!r} holds bytes that are no text ({kind}); nothing was kept; --binary keeps them as they are"
        )
    artifact = keep_whole(workspace, prepared, policy, about)
    if artifact.is_binary:
        note("spill: kept as it came: bytes that are no text are not searched for secrets")
    if left := prepared.cleaned.get("binary_bytes"):
        note(f"spill: {left:,} bytes of it are no text, and are counted in their place; --binary keeps it as it is")
    if prepared.incomplete:
        note("spill: a part could not be examined for secrets and is hidden whole")
    print_answer(call, "artifact", artifact_fields(artifact), f"{artifact.id}\n")
    if not prepared.ended:
        return 0
    note(f"spill: kept what came until then: {prepared.ended}")
    return InputError.exit_code


def next_or_failure(chunks: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """The next chunk and the rest; a failure is left to whoever reads the rest, and has what came before by then."""
    try:
        return next(chunks, b""), chunks
    except OverspillError as error:
        return b"", map(raise_error, (error,))


def raise_error(error: OverspillError) -> bytes:
    """What a failed reading gives: the failure."""
    raise error


def media_type_of(beginning: bytes, name: str, *, whole: bool) -> str:
    """The media type of a text, by its name and its first chunk."""
    text = beginning.decode(errors="replace")
    kind = sniff(text, name=name, total=len(text) + (not whole)).name
    return MEDIA_TYPES.get(kind) or media_type_by_name(name)
