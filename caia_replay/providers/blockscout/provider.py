"""Blockscout explorers: one API for many EVM chains, each chain by its host (or by its number on the pooled host).

    https://{instance}.blockscout.com/api/v2/...      REST: lists in pages that go on by a key, single things
    https://{instance}.blockscout.com/api?module=...  the interface that is compatible with Etherscan's

Classes in replay: HIT for a recorded answer, DERIVED for pages out of longer lists, lists cut at a moment, and things
told without what the explorer tells of now alone; MISS for everything else. Never FORK: a forked chain is asked through
its node.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Final
from urllib.parse import urlencode

from caia_replay.cassette.secret import is_secret
from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.core.tool import Authority
from caia_replay.errors import Miss
from caia_replay.providers.blockscout.list import list_page
from caia_replay.providers.blockscout.module import module_answer, module_family, module_following, module_widened
from caia_replay.providers.blockscout.question import Question, cursor_of, is_module, is_rest, question_of
from caia_replay.providers.blockscout.settled import moment_of, settled
from caia_replay.providers.endpoint import answered_at, content_of, derived, endpoint_of, is_of_now, utc

_PUT_OFF: Final = frozenset({304, 429, *range(500, 600)})


class BlockscoutProvider:
    """The provider. See docs/providers/blockscout.md for what follows from what.

    ``hosts`` are explorers with a name of their own, beside those under the vendor's.
    """

    name = "blockscout"
    authority: Authority = "authoritative"
    ignored_parameters: frozenset[str] = frozenset({"apikey"})
    has_other_sources = False

    def __init__(self, hosts: Collection[str] = ()) -> None:
        self._hosts = frozenset(hosts)

    def match(self, request: HttpRequest) -> bool:
        """Whether the request reads from an explorer of this kind."""
        return is_rest(request, self._hosts) or is_module(request, self._hosts)

    def family(self, request: HttpRequest) -> str:
        """The explorer, and the list or thing that is asked for, wherever its page begins."""
        return module_family(request) if is_module(request, self._hosts) else question_of(request).family

    def widen(self, request: HttpRequest, now: int) -> Sequence[HttpRequest]:
        """A list from its beginning, and the page that is asked for; anything else as it is asked."""
        if is_module(request, self._hosts):
            return module_widened(request)
        asked = question_of(request)
        if not asked.cursor and not asked.size:
            return (request,)
        return (_placed(request, asked, {}), request)

    def follow(self, request: HttpRequest, reply: HttpReply) -> HttpRequest | None:
        """The next page of an account's, token's, transaction's or block's list. Lists of a whole chain have no end."""
        if is_module(request, self._hosts):
            return module_following(request, reply)
        asked, content = question_of(request), _object(reply)
        cursor = cursor_of(content) if content.get("items") else None
        return _placed(request, asked, cursor) if cursor and len(asked.path) > 1 else None

    def narrow(self, recorded: Sequence[Recorded], request: HttpRequest, now: int) -> HttpReply:
        """See ``Provider.narrow``."""
        wanted = f"GET {request.url:.300} at {utc(now)}"
        lasting = [found for found in recorded if found.reply.status not in _PUT_OFF]
        if is_module(request, self._hosts):
            return module_answer(lasting, request, now, wanted)
        asked, told = question_of(request), list(_questioned(lasting))
        same = [found for question, found in told if question == asked]
        same.sort(key=lambda found: abs((answered_at(found.reply) or 0) - now))
        missed: Miss | None = None
        if not asked.is_single:
            try:
                return list_page(told, asked, now, wanted)
            except Miss as miss:
                missed = miss
        for found in same:
            if is_of_now(found, now) and found.reply.status != 401 and not _tells_later(found.reply, now):
                return found.reply
        for found in same if asked.is_single else ():
            content = _object(found.reply)
            at = moment_of(content)
            if found.reply.status == 200 and at is not None and at <= now:
                return derived(settled(content, asked.kind), found.reply)
        # What is refused for its key is handed out where nothing else answers.
        for found in same:
            if found.reply.status == 401:
                return found.reply
        raise missed or Miss("http", wanted, f"{len(same)} recordings of it, none of this moment")


def _questioned(recorded: Iterable[Recorded]) -> Iterator[tuple[Question, Recorded]]:
    for found in recorded:
        with suppress(Miss):
            yield question_of(found.request), found


def _object(reply: HttpReply) -> dict[str, Any]:
    """A reply's JSON object; an empty one where it is none."""
    content: Any = None
    with suppress(Miss):
        content = content_of(reply)
    return content if isinstance(content, dict) else {}


def _tells_later(reply: HttpReply, now: int) -> bool:
    content = _object(reply)
    rows = content.get("items")
    return any((moment_of(row) or 0) > now for row in [content, *(rows if isinstance(rows, list) else [])])


def _placed(request: HttpRequest, asked: Question, cursor: dict[str, str]) -> HttpRequest:
    """The list's page at a place, with the filters and the key it was asked with."""
    endpoint = endpoint_of(request)
    keys = {name: text for name, text in endpoint.parameters.items() if is_secret(name)}
    query = urlencode({**asked.filters, **cursor, **keys})
    return HttpRequest("GET", f"{endpoint.origin}{endpoint.path}{'?' if query else ''}{query}", headers=request.headers)
