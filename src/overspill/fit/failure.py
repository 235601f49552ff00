"""Views of what could not be shown, and the words that views share: when an artifact was made, a text's fingerprint."""

import time

from overspill.core.report import Artifact, Fitted, Report
from overspill.core.size import Size


def created_text(artifact: Artifact | None) -> str:
    """When an artifact was made, as people read it."""
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(artifact.created)) if artifact else ""


def text_digest(text: str) -> str:
    """The fingerprint of a text."""
    from overspill._lite import sha256

    return sha256(text.encode()).hexdigest()


def failure_view(error: BaseException, room: int | None = None) -> Fitted:
    """What is shown when our own code failed: that it did, and nothing of the text, which may not be safe to show."""
    kind = type(error).__name__
    text = f"Output could not be shown: {kind} in overspill. Nothing was kept; `spill doctor` may say more."
    text = text[:room]
    nothing = Size(0, 0, 0, 0)
    report = Report(nothing, nothing, nothing, overhead=len(text), kept=(), decision="failed", not_kept=kind)
    return Fitted(text, report, is_error=True)


def refusal_view(fitted: Fitted, sentence: str) -> Fitted:
    """A refusal that says so and shows nothing else."""
    shown = Size(0, 0, 0, 0)
    return fitted._replace(text=sentence, report=fitted.report._replace(shown=shown, kept=(), overhead=len(sentence)))
