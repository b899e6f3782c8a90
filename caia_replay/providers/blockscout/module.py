"""A Blockscout explorer's interface that is compatible with Etherscan's: ?module=...&action=...

Lists join and narrow as Etherscan's do. What differs: the newest rows come first where no order is asked for, a page
needs both of ``page`` and ``offset``, and logs have no pages; lists asked for otherwise are answered as recorded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import urlencode

from caia_replay.canonical import canonical_bytes
from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.endpoint import answered_at, is_of_now
from caia_replay.providers.etherscan.page import Row, runs_of, window_of
from caia_replay.providers.etherscan.question import (
    WINDOW_NAMES,
    Question,
    block_of,
    ends,
    family_of,
    is_passing,
    moment_of,
    question_of,
    rows_of,
)

_LONGEST: Final = 10_000
_NONE: Final = {
    "txlist": "No transactions found",
    "txlistinternal": "No internal transactions found",
    "tokentx": "No token transfers found",
    "getLogs": "No logs found",
}
"""What lists without rows say."""
_COUNTED: Final = "confirmations"


def module_family(request: HttpRequest) -> str:
    """Everything but pages, order, ranges of blocks and the key."""
    return f"{_place(request)} {family_of(question_of(request))}"


def module_widened(request: HttpRequest) -> tuple[HttpRequest, ...]:
    """Of a list all of it, oldest first, in the longest pages; anything else, and a list in another order, as asked."""
    question = question_of(request)
    if not _is_list(question):
        return (request,)
    wide = _from_block(request, question, 0)
    return (wide,) if is_read(question) else (wide, request)


def module_following(request: HttpRequest, reply: HttpReply) -> HttpRequest | None:
    """The list again from the last block of a full page."""
    question = question_of(request)
    window = question.window() if _is_list(question) and is_read(question) else None
    rows = None if is_passing(reply) else rows_of(reply)
    if window is None or window.descending or not rows or ends(len(rows), window.offset):
        return None
    try:
        block = block_of(rows[-1])
    except ValueError:
        return None
    return _from_block(request, question, block) if block > window.first else None


def module_answer(recorded: Sequence[Recorded], request: HttpRequest, now: int, wanted: str) -> HttpReply:
    """The answer at ``now`` out of recordings. Raises ``Miss``."""
    question = question_of(request)
    usable = [found for found in recorded if not is_passing(found.reply)]
    same = [found for found in usable if question_of(found.request).identity == question.identity]
    same.sort(key=lambda found: abs((answered_at(found.reply) or 0) - now))
    missed: Miss | None = None
    if _is_list(question):
        try:
            rows = _rows(question, usable, now, wanted)
            for found in same:
                if rows_of(found.reply) == rows:
                    return found.reply
            return _told(question, rows)
        except Miss as miss:
            missed = miss
    for found in same:
        if is_of_now(found, now) and not any(_is_later(row, now) for row in rows_of(found.reply) or ()):
            return found.reply
    raise missed or Miss("http", wanted, f"{len(same)} recordings of it, none of this moment")


def is_read(question: Question) -> bool:
    """Whether it is certain which rows, and in which order, the vendor makes of the parameters of a list."""
    given = question.fields.keys()
    if question.key[0] == "logs":
        return not {"page", "offset", "sort"} & given and {"fromblock", "toblock"} <= given
    return "sort" in given and ("page" in given) == ("offset" in given) and question.window() is not None


def _rows(question: Question, usable: Sequence[Recorded], now: int, wanted: str) -> list[Row]:
    window = question.window() if is_read(question) else None
    if window is None:
        raise Miss("http", wanted, "what the vendor makes of this order, range or page is not recorded")
    read = [found for found in usable if is_read(question_of(found.request))]
    runs = runs_of(read, now, lambda moment: None)
    if not runs:
        raise Miss("http", wanted, "no page of this list is recorded")
    rows = window_of(runs, window, now, None)
    if not any(_COUNTED in row for row in rows):
        return rows
    try:
        # Rows count from the newest block, which is nowhere recorded: told by recordings of now, else left out.
        of_now = [found for found in read if is_of_now(found, now)]
        return window_of(runs_of(of_now, now, lambda moment: None), window, now, None)
    except Miss:
        return [{name: value for name, value in row.items() if name != _COUNTED} for row in rows]


def _told(question: Question, rows: Sequence[Row]) -> HttpReply:
    content: Any = {"status": "1", "message": "OK", "result": list(rows)}
    if not rows:
        content = {"status": "0", "message": _NONE[question.key[1]], "result": []}
    return HttpReply(200, {"content-type": "application/json; charset=utf-8"}, canonical_bytes(content))


def _is_list(question: Question) -> bool:
    return question.listing is not None and question.key[1] in _NONE


def _is_later(row: Row, now: int) -> bool:
    try:
        return moment_of(row) > now
    except ValueError:
        return False


def _from_block(request: HttpRequest, question: Question, block: int) -> HttpRequest:
    """The list from a block on, oldest first."""
    told = {name: text for name, text in question.fields.items() if name not in WINDOW_NAMES}
    if question.key[0] == "logs":
        told |= {"fromBlock": str(block), "toBlock": "latest"}
    else:
        told |= {"startblock": str(block), "sort": "asc", "page": "1", "offset": str(_LONGEST)}
    return HttpRequest("GET", f"{_place(request)}?{urlencode(sorted(told.items()))}", headers=request.headers)


def _place(request: HttpRequest) -> str:
    return request.url.partition("#")[0].partition("?")[0]
