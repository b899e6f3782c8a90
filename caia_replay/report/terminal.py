"""JSON for a terminal: letters of any language as they are, and nothing that moves a cursor or turns a line around."""

from __future__ import annotations

import json
from typing import Any


def printed_json(value: Any) -> str:
    """``value`` as indented JSON, equal to it when read; what is not printable is written as JSON's own escapes.

    JSON itself asks that of control characters below 0x20 alone, and leaves out DEL, C1, bidirectional marks, letters
    without width and half letters (lone surrogates).
    """
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return "".join(letter if letter.isprintable() or letter == "\n" else _escape(letter) for letter in text)


def _escape(letter: str) -> str:
    units = letter.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
