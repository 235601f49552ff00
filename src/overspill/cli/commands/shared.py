"""Options that many commands share."""

from overspill.cli.arguments import Option, positive, whole

CHARS = Option("--limit", "CHARS", "show at most this many characters", positive)
TOKENS = Option("--tokens", "N", "show at most this many tokens", positive)

ITEMS = Option("--limit", "N", "this many on a page (0: all)", whole)
SKIP = Option("--offset", "N", "leave out this many from the start", whole)
AS_OF = Option("--as-of", "X", "the list as it was; the command under `next` says what to give here")
FEWER = Option("--tokens", "N", "end the page before the record that would take more than so many tokens", positive)
PAGED = (ITEMS, SKIP, FEWER, AS_OF)
