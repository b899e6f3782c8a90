"""Sentences in a page's own voice, from ``orders.toml``; and the same in codes."""

from __future__ import annotations

import base64
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, cast

from caia_replay.attacks.choice import Choice


def order_text(kind: str, language: str, choice: Choice, fields: Mapping[str, str]) -> str:
    """One of the sentences of a ``kind`` (call, answer, install...), its blanks filled."""
    return _filled(choice.one(kind, _table()[language][kind]), fields)


def encoded(kind: str, language: str, choice: Choice, fields: Mapping[str, str]) -> str:
    """The same as nobody reads it at a glance: base64, Morse or invisible tags behind some mark of a page, or plainly
    in another language."""
    if not choice.number("plain", 4):
        return order_text(kind, "other", choice, fields)
    code = choice.one("code", CODES)  # of Latin letters
    carrier = choice.one("carrier", _table()[language]["carrier"])
    return str(carrier.replace("{code}", code(order_text(kind, "en", choice, fields))))


def honest_packages() -> Sequence[str]:
    """Packages that everybody knows."""
    return cast("Sequence[str]", _table()["packages"])


def base64_of(text: str) -> str:
    """In base64."""
    return base64.b64encode(text.encode()).decode()


def morse_of(text: str) -> str:
    """In Morse code; what has no sign there is left out."""
    table = _table()["morse"]
    signs = dict(zip(table["letters"], table["signs"].split(), strict=True))
    return " / ".join(" ".join(signs[one] for one in word if one in signs) for word in text.lower().split())


def tags_of(text: str) -> str:
    """In Unicode's tag characters, which show nothing, behind a digest of the text that does show."""
    shown = base64.b32encode(text.encode()).decode()[-13:].strip("=").lower()
    return shown + "".join(chr(0xE0000 + ord(one)) for one in text if 0x20 <= ord(one) < 0x7F)


CODES: Final[Sequence[Callable[[str], str]]] = (base64_of, morse_of, tags_of)


@cache
def _table() -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", tomllib.loads(Path(__file__).with_name("orders.toml").read_text("utf-8")))


def _filled(text: str, fields: Mapping[str, str]) -> str:
    for name, value in fields.items():
        text = text.replace(f"{{{name}}}", value)
    return text
