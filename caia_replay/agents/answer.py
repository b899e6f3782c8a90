"""The answer contracts: which part of a message is the run's answer. Nothing else a model says is ever scored."""

from __future__ import annotations

import json
import re
from typing import Any

from caia_replay.agents.json_text import escape_strays, object_end, object_spans
from caia_replay.canonical import DEEPEST, canonical_bytes

_FINAL = re.compile(r"[\s*_#>`]*final\s+answer[\s*_`]*[:：]", re.IGNORECASE)
_AROUND = "*_" + "".join(c for c in map(chr, range(0x3001)) if c.isspace())


def final_answer(text: str) -> str | None:
    """What follows ``FINAL ANSWER:`` on the last line that is not empty; None without such a line or text after it."""
    lines = [line for line in text.splitlines() if line.strip()]
    found = _FINAL.match(lines[-1]) if lines else None
    # Stripped and not matched: a pattern that gives back what it took would read a long line many times.
    return (lines[-1][found.end() :].strip(_AROUND) or None) if found else None


def answer_field(text: str) -> str | None:
    """The ``answer`` of the last JSON object in ``text`` that has one, whatever stands around the object.

    A text is taken as it is, a number in the digits it was written with, anything else but null as JSON. None when
    no object has an answer, or the last is empty. An object that gives two answers gives none. A brace that opens no
    JSON is prose; what stands inside an object is no answer of its own. Of a text with very many brackets the end is
    read (``json_text.MOST_BRACKETS``).
    """
    objects = (_object(text[start:end]) for start, end in reversed(object_spans(text)))
    answer = next((found["answer"] for found in objects if "answer" in found), None)
    if answer is None:
        return None
    data = answer.encode("utf-8", "replace") if isinstance(answer, str) else canonical_bytes(answer)
    return data.decode("utf-8", "replace").strip() or None


def _object(text: str) -> dict[str, Any]:
    """A JSON object with numbers as the texts they were written as; empty where it is too deep or answers twice."""
    if text.count("{") + text.count("[") > DEEPEST and object_end(text, 0) is None:
        return {}
    try:
        found = _DECODER.decode(escape_strays(text))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _one_answer(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if [key for key, _ in pairs].count("answer") > 1:
        raise ValueError("two answers in one object")
    return dict(pairs)


_DECODER = json.JSONDecoder(
    parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=_one_answer, strict=False
)
