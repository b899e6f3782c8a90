"""How the explorer reads parameters and words its answers: envelopes, refusals, numbers, pages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

Parameters = Mapping[str, str]
"""By lower-case name."""

WINDOW: Final = 10_000
"""The furthest row a list is read to: page times offset."""
ENDLESS: Final = 9_999_999_999

_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]{40}")
_HASH: Final = re.compile(r"0x[0-9a-fA-F]{64}")


class Refusal(Exception):
    """An answer that is none: ``message`` and ``result`` of the vendor's envelope, with status "0"."""

    def __init__(self, result: Any, message: str = "NOTOK") -> None:
        super().__init__(message)
        self.content = {"status": "0", "message": message, "result": result}


def told(result: Any) -> dict[str, Any]:
    """The envelope of an answer."""
    return {"status": "1", "message": "OK", "result": result}


def listed(rows: Sequence[Mapping[str, Any]], none: str = "No transactions found") -> dict[str, Any]:
    """The envelope of a list; an empty one has a status and words of its own."""
    return told(list(rows)) if rows else {"status": "0", "message": none, "result": []}


def address_in(parameters: Parameters, name: str = "address") -> str:
    """An address in lower case. Raises ``Refusal``."""
    return checked_address(parameters.get(name, ""))


def checked_address(text: str) -> str:
    """The same of a text."""
    if not _ADDRESS.fullmatch(text):
        raise Refusal("Error! Invalid address format")
    return text.lower()


def hash_in(parameters: Parameters, name: str = "txhash") -> str:
    """A transaction hash in lower case. Raises ``Refusal``."""
    text = parameters.get(name, "")
    if not _HASH.fullmatch(text):
        raise Refusal("Error! Invalid Txn Hash format")
    return text.lower()


def number_in(parameters: Parameters, name: str, default: int | None = None) -> int:
    """A number in decimal digits. Raises ``Refusal`` for other text, and where one is needed and none is given."""
    text = parameters.get(name, "")
    if not text and default is not None:
        return default
    if not (text.isascii() and text.isdigit()):
        raise Refusal(f"Error! Invalid {name}")
    return int(text)


def blocks_in(parameters: Parameters, first: str, last: str, head: int) -> tuple[int, int]:
    """The range of blocks asked for, inclusive, without what does not exist yet."""

    def block(name: str, default: int) -> int:
        return head if parameters.get(name, "").lower() == "latest" else number_in(parameters, name, default)

    return block(first, 0), min(head, block(last, ENDLESS))


def page_of(rows: Sequence[Any], parameters: Parameters, longest: int = WINDOW) -> Sequence[Any]:
    """The page asked for; all up to ``longest`` where none is. Raises ``Refusal`` past the window."""
    page = number_in(parameters, "page", 0) or 1
    offset = min(longest, number_in(parameters, "offset", 0) or longest)
    if page * offset > WINDOW:
        raise Refusal(None, f"Result window is too large, PageNo x Offset size must be less than or equal to {WINDOW}")
    return rows[(page - 1) * offset : page * offset]


def sorted_page(rows: Sequence[Any], parameters: Parameters) -> Sequence[Any]:
    """The page of a list in the order asked for; the newest first is the exact reverse."""
    return page_of(rows[::-1] if parameters.get("sort", "").lower() == "desc" else rows, parameters)


def decimal(quantity: str) -> str:
    """A JSON-RPC quantity as the vendor writes most numbers."""
    return str(int(quantity, 16))
