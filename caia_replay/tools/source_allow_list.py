"""The defence ``allow-list``: the open web and the social network, as far as a list of sources goes."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from caia_replay.core.tool import Served, ToolReply, Toolset, ToolSpec
from caia_replay.tools.source_site import handle_of, is_of, named_by

WITHHELD: Final = "withheld"
"""The field that counts what was left out."""

_INDEX: Final = "protocol_metrics"
_MOST_NAMED: Final = 50
_ROWS: Final[Mapping[str, Mapping[str, str]]] = {
    "web_search": {"results": "url"},
    "twitter_search": {"results": "author"},
    "social_stream": {"posts": "author", "accounts": "handle"},
}
"""The lists of a tool's result, and the field that says whose a row is."""
_GIVEN: Final = "a list of sources that was drawn up beforehand"
_NAMED: Final = f"sites and accounts that {_INDEX} names as a protocol's own (url, twitter)"


class SourceAllowList:
    """Withholds results, pages, posts and accounts whose site or handle is not on the list, and counts them.

    The list is what is given. Where nothing is given, it is what the DeFi index names as protocols' own: the wrapper
    asks ``protocol_metrics`` for those with the most locked when the first source comes up, and adds whatever the
    agent's own calls of it tell later. An index that is not recorded names nobody, and then nothing of the web is left.

    What was planted and is withheld was not handed out: its place is taken off the reply's marks, and its attack where
    no other place is left. Nothing is decided by them.

    It judges who says something and never what is said: a lie on a listed site passes, and the truth elsewhere is lost.
    """

    def __init__(self, toolset: Toolset, sites: Collection[str] = (), handles: Collection[str] = ()) -> None:
        self._toolset = toolset
        self._is_given = bool(sites or handles)
        self._sites, self._handles = set(sites), {handle_of(handle) for handle in handles} - {""}
        self._has_asked = self._is_given

    @property
    def sites(self) -> frozenset[str]:
        """The hosts on the list so far."""
        return frozenset(self._sites)

    def specs(self) -> Sequence[ToolSpec]:
        """The tools; those that the list narrows say so below their description."""
        text = f"Only {_GIVEN if self._is_given else _NAMED} are shown; {WITHHELD} counts the rest."
        page = f"Only {_GIVEN if self._is_given else _NAMED} are read; for others the error is source_withheld."
        added = {**dict.fromkeys(_ROWS, text), "url_fetching": page}
        return [
            replace(spec, description=f"{spec.description}\n\n{added[spec.name]}") if spec.name in added else spec
            for spec in self._toolset.specs()
        ]

    def call(self, name: str, arguments: str) -> ToolReply:
        """The call's reply without what is not on the list; misses and errors stay as they are."""
        reply = self._toolset.call(name, arguments)
        if reply.result is None:
            return reply
        if name == _INDEX and not self._is_given:
            self._learn(reply)
        if name == "url_fetching":
            return reply if self._is_listed(str(reply.result.get("url"))) else _refused()
        return self._narrowed(name, reply) if name in _ROWS else reply

    def _narrowed(self, name: str, reply: ToolReply) -> ToolReply:
        result, gone = dict(reply.result or {}), list[Mapping[str, Any]]()
        for rows, field in _ROWS[name].items():
            judged = [(self._is_allowed(field, row), row) for row in result[rows]]
            result[rows] = [row for is_allowed, row in judged if is_allowed]
            gone += [row for is_allowed, row in judged if not is_allowed]
        result[WITHHELD] = len(gone)
        is_bare = not any(result[rows] for rows in _ROWS[name])
        places = reply.altered_at if is_bare else [str(row.get("url")) for row in gone]
        return _unmarked(replace(reply, result=result), places) if gone else replace(reply, result=result)

    def _is_allowed(self, field: str, row: Mapping[str, Any]) -> bool:
        if field == "url":
            return self._is_listed(str(row.get(field)))
        self._ask()
        return handle_of(row.get(field)) in self._handles

    def _is_listed(self, url: str) -> bool:
        self._ask()
        return is_of(url, self._sites)

    def _ask(self) -> None:
        """Ask the index once who is who, if nobody has said it."""
        if self._has_asked:
            return
        self._has_asked = True
        ranked = self._toolset.call(_INDEX, json.dumps({"limit": _MOST_NAMED})).result or {}
        for row in ranked.get("ranking", ()):
            self._learn(self._toolset.call(_INDEX, json.dumps({"protocol": f"slug:{row['slug']}"})))

    def _learn(self, reply: ToolReply) -> None:
        site, handle = named_by(reply.result)
        self._sites |= {site} - {""}
        self._handles |= {handle} - {""}


def _refused() -> ToolReply:
    """A page that is not on the list; it asked nothing, as far as the agent can tell."""
    message = "this site is not on the list of sources that may be read"
    return ToolReply(Served.ERROR, None, {"type": "source_withheld", "message": message})


def _unmarked(reply: ToolReply, places: Collection[str]) -> ToolReply:
    left = tuple(place for place in reply.altered_at if place not in places)
    return replace(reply, altered_by=reply.altered_by if left else (), altered_at=left)
