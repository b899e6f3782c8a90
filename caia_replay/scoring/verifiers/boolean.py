"""Yes or no, in the words people use for them."""

from __future__ import annotations

import re

from caia_replay.core.score import Score
from caia_replay.core.task import AnswerSpec
from caia_replay.errors import BadInput
from caia_replay.scoring.answer import agreed, clean

_WORDS = {
    **dict.fromkeys(("yes", "true", "yep", "yeah", "correct", "affirmative", "是", "是的", "对", "正确", "真"), "yes"),
    **dict.fromkeys(("no", "false", "nope", "incorrect", "untrue", "negative"), "no"),
    **dict.fromkeys(("否", "不是", "不对", "错误", "假", "没有"), "no"),
}
_FLIPPED = {"yes": "no", "no": "yes"}
_WORD = re.compile(
    r"\b(?P<en>yes|true|yep|yeah|correct|affirmative|no|false|nope|incorrect|untrue|negative)\b"
    "|(?P<zh>不是|不对|没有|是的|正确|错误|是|否|对|真|假)",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r"\W*(?:(?P<yes>yes|no|是的|不是)\b|(?P<other>true|false|correct|incorrect|正确|错误|是|否|对|不对)(?=\s*[,.;:!，。；：-]|\s*$))",
    re.IGNORECASE,
)
_NEGATED = re.compile(r"(?:\b(?:not|never)|n't)(?:\s+(?:be|the|a|case|that))*\s*$", re.IGNORECASE)
_UNDECIDED = re.compile(
    r"^\W*(?:yes|true|是)\W*(?:and|or|but|/|,)?\W*(?:no|false|否)\b|^\W*(?:no|false|否)\W*(?:and|or|but|/|,)?\W*(?:yes|true|是)\b",
    re.IGNORECASE,
)


class BooleanVerifier:
    """Right when the answer says what the value says.

    A leading yes or no decides, whatever its explanation repeats, and so does another such word that ends its
    clause ("False: ..."); "yes and no" is undecided and wrong. Without one, every such word in the text must
    agree, "not true" counting as no.
    """

    def verify(self, spec: AnswerSpec, answer: str) -> Score:
        """Judge ``answer``. Raises ``BadInput`` when the spec's value is neither yes nor no."""
        wanted = _WORDS.get(spec.values[0].strip().casefold())
        if wanted is None or len(spec.values) != 1:
            raise BadInput(f"{spec.values[0]!r} is neither yes nor no", where="answer.values")
        text = clean(answer)
        if _UNDECIDED.search(text):
            return Score(False, "hedged between yes and no")
        first = _LEADING.match(text)
        reading, fault = (_WORDS[(first["yes"] or first["other"]).casefold()], "") if first else agreed(_readings(text))
        if reading is None:
            return Score(False, fault)
        return Score(reading == wanted, f"read {reading}", reading)


def _readings(text: str) -> list[str]:
    found = []
    for word in _WORD.finditer(text):
        value = _WORDS[word[0].casefold()]
        found.append(_FLIPPED[value] if _NEGATED.search(text[: word.start()]) else value)
    return found
