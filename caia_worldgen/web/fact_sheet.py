"""Slots that are worked out when a phrase asks for them: an article uses few of the facts it could tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from caia_worldgen.web.page import Told

Fact = Told | str | Callable[[], Told | str]


class FactSheet(Mapping[str, Told | str]):
    """Slots by name; later parts go before earlier ones. Each fact is worked out at most once, and draws no chance."""

    def __init__(self, *parts: Mapping[str, Fact] | FactSheet) -> None:
        self._known: dict[str, Fact] = {}
        for part in parts:
            self._known.update(part._known if isinstance(part, FactSheet) else part)

    def __getitem__(self, name: str) -> Told | str:
        fact = self._known[name]
        if callable(fact):
            fact = self._known[name] = fact()
        return fact

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def __contains__(self, name: object) -> bool:
        return name in self._known

    def tagged(self, tag: str) -> FactSheet:
        """The same facts with ``tag`` behind each name."""
        return FactSheet({name + tag: fact for name, fact in self._known.items()})
