"""Where JSON objects stand in a model's text, found in time linear in the text whatever it holds."""

from __future__ import annotations

import json
import re

from caia_replay.canonical import DEEPEST

# A string that never closes is taken to the end of the text: looking for its end again from each later quotation
# mark would take quadratic time.
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)'
_TOKEN = re.compile(_STRING + r"|[\[\]{}]", re.DOTALL)
_WHOLE_STRING = re.compile(_STRING, re.DOTALL)
_CONTROL = re.compile(r"(\\.)|[\x00-\x1f]", re.DOTALL)
_STEP = {"[": 1, "{": 1, "]": -1, "}": -1}
_STRAY = re.compile(r'\\(?!["\\/bfnrt]|u[0-9a-fA-F]{4})')

MOST_BRACKETS = 100_000
"""Opening brackets that ``object_spans`` reads, the last of a text: each is a step of some microseconds."""

_CLOSED = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_NUMBER = r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+"
_SCALAR = rf"(?:{_CLOSED}|{_NUMBER}|true|false|null|NaN|-?Infinity)"
_SPACE = r"[ \t\n\r]*+"
_NAME = rf"{_SPACE}{_CLOSED}{_SPACE}:"
# All that stands between one bracket and the next is one match, and its last character is that next bracket.
_MEMBERS = rf"(?:{_NAME}{_SPACE}{_SCALAR}{_SPACE},)*+{_NAME}{_SPACE}(?:{_SCALAR}{_SPACE}\}}|[\[{{])"
_ITEMS = rf"(?:{_SPACE}{_SCALAR}{_SPACE},)*+{_SPACE}(?:{_SCALAR}{_SPACE}\]|[\[{{])"
_OPENED = {
    "{": re.compile(rf"{_SPACE}\}}|{_MEMBERS}", re.DOTALL),
    "[": re.compile(rf"{_SPACE}\]|{_ITEMS}", re.DOTALL),
}
_GOES_ON = {
    "{": re.compile(rf"{_SPACE}(?:\}}|,{_MEMBERS})", re.DOTALL),
    "[": re.compile(rf"{_SPACE}(?:\]|,{_ITEMS})", re.DOTALL),
}


def object_end(text: str, start: int) -> int | None:
    """Where the object that opens at ``start`` has closed; None when it never does, or nests too deep to be parsed.

    Brackets are counted, strings skipped. Whether what stands between is JSON is left to whoever parses it.
    """
    depth = 0
    for token in _TOKEN.finditer(text, start):
        depth += _STEP.get(token[0], 0)
        if depth == 0:
            return token.end()
        if depth > DEEPEST:
            return None
    return None


def object_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of the JSON objects in ``text``, in order, none inside another; in characters.

    Line breaks and unknown escapes inside strings are let pass. A brace that opens no such object is prose, and the
    next one is tried. Of a text with more than ``MOST_BRACKETS`` opening brackets only the last so many are read.
    """
    ends: dict[int, int | None] = {}
    spans = []
    start = text.find("{", _tail(text))
    while start >= 0:
        if start not in ends:
            _read_object(text, start, ends)
        end = ends[start]
        if end is not None:
            spans.append((start, end))
        start = text.find("{", start + 1 if end is None else end)
    return spans


def _read_object(text: str, start: int, ends: dict[int, int | None]) -> None:
    """Enter into ``ends`` where the object at ``start`` and each object in it ends, None for those that are no JSON.

    An object inside one that fails is not read again: it ended, or failed at the same place. Only a brace inside a
    string can be a beginning of its own. Two readings that are both alive at a character never agree on what is a
    string, so there are at most two, and the whole is linear.
    """
    stack = [start]
    place = start + 1
    patterns = _OPENED
    while stack and (found := patterns[text[stack[-1]]].match(text, place)):
        place = found.end()
        if text[place - 1] in "[{":
            stack.append(place - 1)
            patterns = _OPENED
        else:
            ends[stack.pop()] = place
            patterns = _GOES_ON
    ends.update(dict.fromkeys(stack))


def _tail(text: str) -> int:
    """The first place from which ``text`` holds at most ``MOST_BRACKETS`` opening brackets; halving keeps it linear."""
    low, high, after = 0, len(text), 0
    if text.count("{") + text.count("[") <= MOST_BRACKETS:
        return 0
    while low < high:
        middle = (low + high) // 2
        here = text.count("{", middle, high) + text.count("[", middle, high)
        if after + here <= MOST_BRACKETS:
            high, after = middle, after + here
        else:
            low = middle + 1
    return high


def escape_strays(json_text: str) -> str:
    """``json_text`` with each backslash that begins no escape of JSON (``\\$``, ``\\d``) taken as a backslash."""
    return _STRAY.sub(r"\\u005c", json_text.replace("\\\\", r"\u005c"))


def escape_controls(json_text: str) -> str:
    """``json_text`` with line breaks inside its strings escaped, as JSON asks and models forget; nothing else."""
    return _WHOLE_STRING.sub(lambda string: _CONTROL.sub(_escaped, string[0]), json_text)


def is_json(text: str) -> bool:
    """Whether ``text``, which ``object_end`` has found, is JSON but for line breaks inside its strings."""
    try:
        json.loads(escape_controls(text), parse_int=str, parse_float=str)
    except ValueError:
        return False
    return True


def _escaped(control: re.Match[str]) -> str:
    return control[1] or f"\\u{ord(control[0]):04x}"
