"""Names and short texts: caseless, blind to punctuation and spaces, with aliases."""

from __future__ import annotations

from caia_replay.core.score import Score
from caia_replay.core.task import AnswerSpec
from caia_replay.errors import BadInput
from caia_replay.scoring.answer import clean, folded
from caia_replay.scoring.verifiers.naming import introduced, name_in, only_asked
from caia_replay.scoring.verifiers.sentence import plainly_named


class TextVerifier:
    """Right when the answer names a value or an alias, plainly introduced ("The project is ...") or explained, or in
    one plain sentence ("The token launched first on ...").

    Brackets behind the name may tell its kind or country. Containing the value is not enough: "a fork of X" and
    "X or Y" contain X and answer something else.
    """

    reads: tuple[str, ...] = ("aliases",)

    def verify(self, spec: AnswerSpec, answer: str) -> Score:
        """Judge ``answer``. Raises ``BadInput`` when a value or alias has neither letters nor digits."""
        accepted = {folded(clean(value)) for value in (*spec.values, *spec.aliases)}
        if "" in accepted:
            raise BadInput("a text answer needs letters or digits", where="answer.values")
        said = introduced(answer)
        named = any(name_in(phrase, accepted) for phrase in said)
        named = named or plainly_named(answer, (*spec.values, *spec.aliases)) in accepted
        if named and only_asked(answer, (*spec.values, *spec.aliases)):
            return Score(False, "asks, and does not answer")
        if named:
            canonical = folded(clean(spec.values[0]))
            return Score(True, f"read {canonical}", canonical)
        shortest = next((reading for phrase in reversed(said) if (reading := folded(phrase))), None)
        return Score(False, f"read {shortest}" if shortest else "no readable answer", shortest)
