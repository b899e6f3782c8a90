"""Ordered lists of names: every element, in order, and no others."""

from __future__ import annotations

import re

from caia_replay.core.score import Score
from caia_replay.core.task import AnswerSpec
from caia_replay.errors import BadInput
from caia_replay.scoring.answer import clean, folded
from caia_replay.scoring.verifiers.listing import listings, misnumbered, open_ended
from caia_replay.scoring.verifiers.naming import only_asked
from caia_replay.scoring.verifiers.ordinal import ordered

_UNORDERED = re.compile(
    r"\b(?:no\s+particular|any|reverse[sd]?|inverse|opposite|random|alphabetical|unspecified|unknown)\s+order\b|"
    r"\b(?:un|not\s+)ordered\b|\bnot\s+(?:necessarily\s+)?in\s+(?:\w+\s+)?order\b|"
    r"\border\s+(?:is\s+)?(?:unknown|unclear|uncertain)\b|"
    r"\b(?:ascending|increasing)\s+order\b|\b(?:smallest|lowest|least|fewest|last|latest|newest|bottom|youngest|"
    r"cheapest|worst)\s+"
    r"(?:first|to\s+(?:the\s+)?(?:largest|highest|biggest|greatest|most|first|earliest|oldest|top|dearest|best))\b|"
    r"(?:从小到大|从低到高|由小到大|由低到高|升序|从晚到早|倒序|逆序|顺序不明|不分先后|排名不分)",
    re.IGNORECASE,
)


class TextListVerifier:
    """Right when the elements are the values in their order, as often as they stand there, and nothing else.

    Elements are numbered, bulleted, or separated by arrows, ">", commas, "then" or "and". Where each has its place
    ("third Curve, second Bancor, first Aave"), the places give the order. Places that contradict the order of writing,
    words that give the order up ("in no particular order") or that leave the list open ("etc.") make it none.
    """

    reads: tuple[str, ...] = ()

    def verify(self, spec: AnswerSpec, answer: str) -> Score:
        """Judge ``answer``. Raises ``BadInput`` when a value has neither letters nor digits."""
        wanted = [folded(clean(value)) for value in spec.values]
        if "" in wanted:
            raise BadInput("list values must be texts with letters or digits", where="answer.values")
        said = [list(elements) for elements in listings(answer, spec.values)]
        text = clean(answer)
        if open_ended(answer, spec.values) or only_asked(answer, spec.values):
            return Score(False, "left open")
        found = ordered(answer, spec.values)
        placed = found is not None and found.names is not None and found.said in listings(found.plain, spec.values)
        if found is not None and placed:
            said = [list(found.names or ())]
        elif found is not None:
            said = [*map(list, listings(found.plain, spec.values)), *said]
        contradicted = found is not None and found.fault and wanted in said
        if _UNORDERED.search(text) or ((contradicted or misnumbered(text)) and not placed):
            return Score(False, "not in the order it is asked in")
        if wanted in said:
            reading = " > ".join(wanted)
            return Score(True, f"read {reading}", reading)
        elements = said[-1]
        if not elements:
            return Score(False, "no readable answer")
        fault = "other elements" if sorted(elements) != sorted(wanted) else "another order"
        return Score(False, fault, " > ".join(elements))
