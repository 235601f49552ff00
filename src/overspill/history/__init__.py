"""Old tool results go from a conversation, and can be fetched back.

`clear` takes the messages that are about to be sent to a model and gives them back with one line in the place of each
tool result that is old, large and no longer in use. It changes nothing that it is handed, and only when that pays:
`decision.py` replays the conversation turn by turn and says what goes (values alone), `stubs.py` keeps it in the store
and writes the lines, `messages.py` knows where results stand in messages. Programs and `frameworks` may import this
package.
"""

from __future__ import annotations

from overspill.history.decision import CachePrices, Clearing, Keep
from overspill.history.messages import clear

__all__ = ["CachePrices", "Clearing", "Keep", "clear"]
