"""Results of one execution: recorded pages put together, and another page out of them.

Rows of an execution never change, so pages join wherever they were recorded. A page's size in bytes is the vendor's
count of what it stores; no recording says it of another page, and a derived page leaves it out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from caia_replay.canonical import canonical_bytes
from caia_replay.core.provider import HttpReply, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.dune.question import ORIGIN, Question, is_finished, object_of

NEXT_OFFSET, NEXT_URI = "x-dune-next-offset", "x-dune-next-uri"
_OF_A_PAGE: Final = ("next_offset", "next_uri", "result")
_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")
_COUNTED: Final = ("result_set_bytes", "row_count", "datapoint_count")


@dataclass(frozen=True, slots=True)
class Page:
    """One recorded page. ``after`` is the offset of the next one, None at the end or where that is not certain.

    ``total`` is how many rows the execution has, None where the page does not say.
    """

    offset: int
    rows: Sequence[Any]
    after: int | None
    total: int | None
    head: Any
    reply: HttpReply


def page_of(question: Question, found: Recorded) -> Page | None:
    """A recorded page of rows; None where it is none, or no answer to its own question."""
    if found.reply.status != 200 or not question.is_plain:
        return None
    page = _csv(question, found.reply) if question.is_csv else _json(question, found.reply)
    if page is None or (question.limit is not None and len(page.rows) > question.limit):
        return None
    end = page.offset + len(page.rows)
    if page.after is not None and (page.after != end or not page.rows):
        return None
    if page.total is not None and page.rows and (end > page.total or (page.after is None) != (end == page.total)):
        return None
    return page


def page_from(pages: Iterable[Page], asked: Question, path: str, wanted: str) -> HttpReply:
    """The page that is asked for, out of pages of the same execution. Raises ``Miss`` where they do not prove it."""
    told = sorted(pages, key=lambda page: page.offset)
    rows: dict[int, Any] = {}
    totals = {page.total for page in told if page.total is not None}
    heads = {canonical_bytes(page.head) if asked.is_csv else b"" for page in told}
    for page in told:
        for place, row in enumerate(page.rows, page.offset):
            if canonical_bytes(rows.setdefault(place, row)) != canonical_bytes(row):
                raise Miss("http", wanted, "recorded pages contradict each other")
    if not told or len(totals) > 1 or len(heads) > 1:
        raise Miss("http", wanted, "no page of these rows is recorded" if not told else "pages contradict each other")
    total = next(iter(totals), None)
    # Servers give fewer rows than a limit they find too large: what they gave once they can give again.
    longest = max(len(page.rows) for page in told)
    known = max(page.offset + len(page.rows) + (page.after is not None) for page in told) if total is None else total
    most = known - asked.offset
    count = max(0, most if asked.limit is None else min(asked.limit, most))
    places = range(asked.offset, asked.offset + count)
    is_certain = total is not None or (asked.limit is not None and asked.limit < most)
    if not asked.is_plain or count > longest or not is_certain or any(place not in rows for place in places):
        raise Miss("http", wanted, f"recorded are {len(rows)} rows{'' if total is None else f' of {total}'}")
    kept = [rows[place] for place in places]
    end = asked.offset + count
    more = count > 0 and (total is None or end < total)
    uri = f"{ORIGIN}{path}?{urlencode({**asked.told, 'limit': count, 'offset': end})}" if more else ""
    return _written(kept, asked, told[0], (end, uri) if more else None)


def _written(rows: Sequence[Any], asked: Question, like: Page, following: tuple[int, str] | None) -> HttpReply:
    dropped = ("date", NEXT_OFFSET, NEXT_URI)
    headers = {name: text for name, text in like.reply.headers.items() if name not in dropped}
    if asked.is_csv:
        if following is not None:
            headers |= {NEXT_OFFSET: str(following[0]), NEXT_URI: following[1]}
        return HttpReply(200, headers, "".join([like.head, *rows]).encode("utf-8", "surrogatepass"))
    body = {name: value for name, value in like.head.items() if name not in _OF_A_PAGE}
    told = like.head["result"]
    told_of = told["metadata"]
    metadata = {name: value for name, value in told_of.items() if name not in _COUNTED} | {"row_count": len(rows)}
    columns = told_of.get("column_names")
    if isinstance(columns, list) and told_of.get("datapoint_count") == len(columns) * len(like.rows):
        metadata["datapoint_count"] = len(columns) * len(rows)
    body["result"] = {**told, "rows": list(rows), "metadata": metadata}
    if following is not None:
        body |= {"next_offset": following[0], "next_uri": following[1]}
    return HttpReply(200, headers, canonical_bytes(body))


def _json(question: Question, reply: HttpReply) -> Page | None:
    body = object_of(reply)
    result = body.get("result")
    if not is_finished(body) or body.get("state") != "QUERY_STATE_COMPLETED" or not isinstance(result, dict):
        return None
    rows, metadata, after = result.get("rows"), result.get("metadata"), body.get("next_offset")
    if not isinstance(rows, list) or not isinstance(metadata, dict) or not (after is None or type(after) is int):
        return None
    total = metadata.get("total_row_count")
    if type(total) is not int or total < 0 or metadata.get("row_count", len(rows)) != len(rows):
        return None
    return Page(question.offset, rows, after, total, body, reply)


def _csv(question: Question, reply: HttpReply) -> Page | None:
    """A page in CSV: a row of names, then the rows as they are written. A cell in quotes may hold line breaks."""
    try:
        text = reply.body.decode("utf-8")
    except UnicodeDecodeError:
        return None
    lines = _records(text)
    after, told = reply.headers.get(NEXT_OFFSET), None
    if not lines or lines[0].strip() == "" or not all(line.endswith("\n") for line in lines):
        return None
    if after is not None and not (after.isascii() and after.isdigit() and len(after) < 12):
        return None
    rows = lines[1:]
    # Some recorders drop headers: a page as long as it may be does not prove that it is the last one.
    if after is None and question.limit is not None and len(rows) < question.limit and (rows or not question.offset):
        told = question.offset + len(rows)
    return Page(question.offset, rows, None if after is None else int(after), told, lines[0], reply)


def _records(text: str) -> list[str]:
    found: list[str] = []
    open_ = ""
    for line in _LINE.findall(text):
        open_ += line
        if open_.count('"') % 2 == 0:
            found.append(open_)
            open_ = ""
    return [*found, open_] if open_ else found
