"""Names and short texts: caseless, blind to punctuation and spaces, with aliases."""

from __future__ import annotations

from caia_replay.core.score import Score
from caia_replay.core.task import AnswerSpec
from caia_replay.errors import BadInput
from caia_replay.scoring.answer import clean, folded, phrases


class TextVerifier:
    """Right when the answer, or what follows a plain lead-in ("The project is ..."), is a value or an alias.

    Containing the value is not enough: "a fork of X" and "X or Y" contain X and answer something else.
    """

    def verify(self, spec: AnswerSpec, answer: str) -> Score:
        """Judge ``answer``. Raises ``BadInput`` when a value or alias has neither letters nor digits."""
        accepted = {folded(clean(value)) for value in (*spec.values, *spec.aliases)}
        if "" in accepted:
            raise BadInput("a text answer needs letters or digits", where="answer.values")
        readings = [folded(phrase) for phrase in phrases(clean(answer))]
        if any(reading in accepted for reading in readings):
            canonical = folded(clean(spec.values[0]))
            return Score(True, f"read {canonical}", canonical)
        shortest = next((reading for reading in reversed(readings) if reading), None)
        return Score(False, f"read {shortest}" if shortest else "no readable answer", shortest)
