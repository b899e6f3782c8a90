"""Sets of names: order-free, exactly these and no others."""

from __future__ import annotations

from caia_replay.core.score import Score
from caia_replay.core.task import AnswerSpec
from caia_replay.errors import BadInput
from caia_replay.scoring.answer import clean, folded
from caia_replay.scoring.verifiers.listing import listings, open_ended
from caia_replay.scoring.verifiers.naming import only_asked


class TextSetVerifier:
    """Right when the elements are the values, each at least once, and nothing else is listed.

    Elements are separated by comma, semicolon, slash, line or "and"; a value that itself contains a separator is
    recognised whole. One element too many is wrong: a list that names everything would otherwise be right. So is a
    list that says it is not whole ("...", "etc.", "等").
    """

    reads: tuple[str, ...] = ()

    def verify(self, spec: AnswerSpec, answer: str) -> Score:
        """Judge ``answer``. Raises ``BadInput`` when a value has neither letters nor digits, or two are equal."""
        wanted = {folded(clean(value)) for value in spec.values}
        if "" in wanted or len(wanted) != len(spec.values):
            raise BadInput("set values must be different texts with letters or digits", where="answer.values")
        said = [sorted(set(elements)) for elements in listings(answer, spec.values)]
        if open_ended(answer, spec.values) or only_asked(answer, spec.values):
            return Score(False, "left open")
        if any(set(elements) == wanted for elements in said):
            reading = "; ".join(sorted(wanted))
            return Score(True, f"read {reading}", reading)
        elements = said[-1]
        if not elements:
            return Score(False, "no readable answer")
        missing, extra = sorted(wanted.difference(elements)), sorted(set(elements).difference(wanted))
        return Score(False, f"{len(missing)} missing, {len(extra)} too many", "; ".join(elements))
