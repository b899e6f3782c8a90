"""Where a JSON object ends in a model's text, found in time linear in the text whatever it holds."""

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
