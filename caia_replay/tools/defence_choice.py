"""Every defence by its name, and a choice as people type it: ``quarantine``, ``allow-list:a.example,@who``, or several
behind each other, from the agent to the tools: ``quarantine+two-sources``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from caia_replay.core.tool import Toolset
from caia_replay.errors import BadInput, nearest
from caia_replay.tools.defences import Labelled
from caia_replay.tools.quarantine import Quarantine
from caia_replay.tools.source_allow_list import SourceAllowList
from caia_replay.tools.source_site import host_of
from caia_replay.tools.two_sources import TwoSources

ALLOW_LIST: Final = "allow-list"
LABELLED: Final = "labelled"

DEFENCES: Final[Mapping[str, Callable[[Toolset], Toolset]]] = MappingProxyType(
    {ALLOW_LIST: SourceAllowList, LABELLED: Labelled, "two-sources": TwoSources, "quarantine": Quarantine}
)
"""Each is one class that wraps a toolset and holds what one run shows it: a new one for every run."""

_HANDLE: Final = re.compile(r"@[A-Za-z0-9_]{1,15}")
_HOST: Final = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?")
_MOST_SOURCES: Final = 1_000
_WHERE: Final = "--defence"
_BEHIND: Final = "+"
"""Stands between two defences; no name, host or handle has it."""


@dataclass(frozen=True, slots=True)
class Defence:
    """A defence that was chosen; ``sites`` (hosts) and ``handles`` are those given to an allow-list, sorted. ``behind``
    stands between this one and the tools, None for nothing."""

    name: str
    sites: tuple[str, ...] = ()
    handles: tuple[str, ...] = ()
    behind: Defence | None = None

    @property
    def text(self) -> str:
        """As ``parse_defence`` reads it: equal for equal choices."""
        given = ",".join([*self.sites, *(f"@{handle}" for handle in self.handles)])
        own = f"{self.name}:{given}" if given else self.name
        return own if self.behind is None else f"{own}{_BEHIND}{self.behind.text}"

    def over(self, toolset: Toolset) -> Toolset:
        """The toolset behind this defence and those behind it, for one run."""
        inner = toolset if self.behind is None else self.behind.over(toolset)
        if self.sites or self.handles:
            return SourceAllowList(inner, self.sites, self.handles)
        return DEFENCES[self.name](inner)


def parse_defence(text: str, where: str = _WHERE) -> Defence | None:
    """The defence that ``text`` names, the first of several before the others; None for an empty text.

    Raises ``BadInput`` for a name that there is not or that is there twice, sources given to what takes none, and a
    source that is neither a host nor a handle.
    """
    if not text.strip():
        return None
    chosen: Defence | None = None
    names = list[str]()
    for part in reversed(text.split(_BEHIND)):
        chosen = replace(_parsed(part, where), behind=chosen)
        if chosen.name in names:
            raise BadInput(f"{chosen.name} stands twice in {text.strip()!r:.80}", where=where)
        names.append(chosen.name)
    return chosen


def _parsed(text: str, where: str) -> Defence:
    """One defence."""
    name, colon, rest = (part.strip() for part in text.partition(":"))
    if name not in DEFENCES:
        raise BadInput(
            f"no defence {name!r:.80}",
            where=where,
            nearest=nearest(name, DEFENCES),
            next_command=f"{where} {' | '.join(DEFENCES)}",
        )
    if not colon:
        return Defence(name)
    example = f"{where} {ALLOW_LIST}:docs.example,@handle"
    if name != ALLOW_LIST:
        raise BadInput(f"{name} takes no sources", where=where, next_command=example)
    given = [part.strip() for part in rest.split(",") if part.strip()]
    if not 0 < len(given) <= _MOST_SOURCES:
        raise BadInput(f"{len(given)} sources; 1 to {_MOST_SOURCES} may be given", where=where, next_command=example)
    sites, handles = set[str](), set[str]()
    for source in given:
        if _HANDLE.fullmatch(source):
            handles.add(source[1:].lower())
        elif _HOST.fullmatch(host := host_of(source)) and "." in host and host == source.lower().removeprefix("www."):
            sites.add(host)
        else:
            raise BadInput(f"{source!r:.80} is neither a host nor a @handle", where=where, next_command=example)
    return Defence(name, tuple(sorted(sites)), tuple(sorted(handles)))
