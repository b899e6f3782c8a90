"""Who did what: the scenario's own account of events, one line each, beside the ledger's movements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

FAILED: Final = frozenset(
    ("was refused", "failed to claim", "failed to sweep", "failed to buy", "failed to sell", "failed to purchase",
     "could not sell", "ran out of gas")
)  # fmt: skip
"""What is said of a transaction that was made and failed: each such deed is one of its actor's."""

Figures = tuple[tuple[str, int | str], ...]


@dataclass(frozen=True, slots=True)
class ChainEvent:
    """In ``block`` of ``chain``, ``actor`` (a lower-case address) did ``verb`` to ``subject``.

    ``subject`` is what the story calls a contract or project, or an address. ``figures`` are sorted by name; amounts
    are in smallest units unless their name says otherwise.
    """

    chain: str
    block: int
    actor: str
    verb: str
    subject: str
    figures: Figures = ()

    def figure(self, name: str) -> int:
        """One of the deed's whole numbers. Raises ``KeyError`` when it has none of that name."""
        value = dict(self.figures)[name]
        if not isinstance(value, int):
            raise KeyError(name)
        return value


def done(deeds: Iterable[ChainEvent], verb: str, subject: str | None = None) -> Iterator[ChainEvent]:
    """The deeds of one kind, in order; of all subjects or of one."""
    return (deed for deed in deeds if deed.verb == verb and subject in (None, deed.subject))
