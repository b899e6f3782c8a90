"""What is to become of a question, by what was found and decided of it: read from the ledger, and decided there.

A person's decision goes before any reason that screening found, and can be taken back by another one. A question that
was made a task is ``promoted``, unless a person drops it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from caia_replay.errors import BadInput, one_line
from caia_replay.intake.ledger import Entry, Ledger, in_order

Effect = Literal["drop", "ask", "note"]
Outcome = Literal["keep", "drop", "ask", "new", "promoted"]
"""``ask``: a person must decide. ``new``: nobody has screened it. ``promoted``: it was made a task."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why something happens to a question: a stable word, what was found in words, and what it does."""

    code: str
    what: str
    effect: Effect

    def plain(self) -> dict[str, str]:
        """As JSON."""
        return {"code": self.code, "what": self.what, "effect": self.effect}


@dataclass(frozen=True, slots=True)
class Standing:
    """What is to become of a question and why, in lines for a person. ``by`` is empty unless a person decided."""

    outcome: Outcome
    reasons: tuple[Reason, ...]
    by: str = ""


def standing_of(ledger: Ledger, question: str) -> Standing:
    """What is to become of a question: as a person decided, else as screening found."""
    found = ledger.standing(question, "screen")
    reasons = tuple(Reason(**one) for entry in found for one in entry.body["reasons"])
    decided = ledger.standing(question, "decision")
    verdicts = {entry.body["verdict"] for entry in decided}
    if len(verdicts) > 1:
        both = "; ".join(f"{entry.by} says {entry.body['verdict']}: {entry.body['why']}" for entry in decided)
        return Standing("ask", (Reason("disputed", f"decisions disagree: {both}", "ask"), *reasons))
    promoted = ledger.standing(question, "promotion")
    if promoted and verdicts != {"drop"}:
        tasks = dict.fromkeys(f"task {one.body['task']} of {one.body['suite']}, by {one.by}" for one in promoted)
        return Standing("promoted", (Reason("promoted", f"is {'; '.join(tasks)}", "note"), *reasons))
    if decided and verdicts != {"undo"}:
        why = "; ".join(dict.fromkeys(str(entry.body["why"]) for entry in decided))
        names = ", ".join(dict.fromkeys(entry.by for entry in decided))
        effect: Effect = "drop" if verdicts == {"drop"} else "note"
        verdict: Outcome = "drop" if verdicts == {"drop"} else "keep"
        return Standing(verdict, (Reason("decided", f"{names}: {why}", effect), *reasons), names)
    if not found:
        return Standing("new", ())
    effects = {one.effect for one in reasons}
    return Standing("drop" if "drop" in effects else "ask" if "ask" in effects else "keep", reasons)


def decide(ledger: Ledger, question: str, verdict: Literal["keep", "drop", "undo"], why: str, by: str) -> Entry:
    """Put a person's decision into the ledger, in place of those that stand. ``undo`` leaves it to screening again.

    Raises ``BadInput`` without a reason.
    """
    if not why.strip():
        raise BadInput("a decision needs a reason", where="--why", next_command='--why "..."')
    return ledger.add(question, "decision", by, {"verdict": verdict, "why": why.strip()})


def history(ledger: Ledger, question: str) -> Iterator[str]:
    """Everything that was found, decided and made of a question, oldest first of each, a line each; not its reviews."""
    for entry in in_order(ledger.entries(question, "screen")):
        reasons = [Reason(**one) for one in entry.body["reasons"]]
        told = "; ".join(f"{one.code} ({one.effect}): {one.what}" for one in reasons) or "nothing against it"
        yield one_line(f"screened by {entry.by}: {told}")
    for entry in in_order(ledger.entries(question, "decision")):
        yield one_line(f"{entry.by} decided {entry.body['verdict']}: {entry.body['why']}")
    for entry in in_order(ledger.entries(question, "gold")):
        yield one_line(f"{entry.by} saved a draft answer: {'; '.join(entry.body['answer']['values'])}")
    for entry in in_order(ledger.entries(question, "promotion")):
        yield one_line(f"{entry.by} made it task {entry.body['task']} of {entry.body['suite']}")
