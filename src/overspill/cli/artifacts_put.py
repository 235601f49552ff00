"""`spill artifacts put`: keep a text that nobody has to look at now."""

from __future__ import annotations

from itertools import chain

from overspill._lite import TYPE_CHECKING
from overspill.cli.artifacts import artifact_fields
from overspill.cli.opening import open_workspace, path_from_root
from overspill.cli.output import input_chunks, note, print_answer
from overspill.errors import InputError, UsageError
from overspill.fit.flow import ingest, keep_whole, safe_call
from overspill.fit.prepare import MEDIA_TYPES, ToolCall, media_type_by_name
from overspill.kinds import sniff

if TYPE_CHECKING:
    from overspill.cli.arguments import CommandCall


def run(call: CommandCall) -> int:
    """Keep a file or standard input, cleaned and redacted like everything that is kept, and print its id."""
    chunks = input_chunks(call.arguments)
    workspace = open_workspace(call, forgiving=True)
    tool, name = call.text("--tool") or "", call.arguments[0] if call.arguments else "-"
    source = call.text("--source") or ("" if name == "-" else path_from_root(workspace, name))
    first, second = next(chunks, b""), next(chunks, b"")
    content_type = call.text("--type") or media_type_of(first, name, whole=not second)
    # A source is often a command line, and command lines hold secrets, too; so may every other word.
    about = safe_call(workspace, ToolCall(tool, source=source, content_type=content_type))
    policy = workspace.policy(tool)._replace(store=True, on_oversize="error")
    policy = policy._replace(keep_binary=policy.keep_binary or call.flag("--binary"))
    prepared = ingest(workspace, chain((first, second), chunks), policy, about, most=policy.max_artifact_size)
    if (kind := prepared.cleaned.get("binary")) and not policy.keep_binary:
        raise UsageError(
            f"{name[:200]!r} holds bytes that are no text ({kind}); nothing was kept; --binary keeps them as they are"
        )
    artifact = keep_whole(workspace, prepared, policy, about)
    if artifact.is_binary:
        note("spill: kept as it came: bytes that are no text are not searched for secrets")
    if prepared.incomplete:
        note("spill: a part could not be examined for secrets and is hidden whole")
    print_answer(call, "artifact", artifact_fields(artifact), f"{artifact.id}\n")
    if not prepared.ended:
        return 0
    note(f"spill: kept what came until then: {prepared.ended}")
    return InputError.exit_code


def media_type_of(beginning: bytes, name: str, *, whole: bool) -> str:
    """The media type of a text, by its name and its first chunk."""
    text = beginning.decode(errors="replace")
    kind = sniff(text, name=name, total=len(text) + (not whole)).name
    return MEDIA_TYPES.get(kind) or media_type_by_name(name)
