"""Listings of captures (the Wayback Machine's CDX server): a question taken apart, and the rows of a reply.

    url, matchType (exact prefix host domain), from, to (1 to 14 digits, inclusive), filter=[!]field:regex,
    collapse=field[:N], fl, output=json, limit, offset, showResumeKey, resumeKey, gzip

Filters are the vendor's regular expressions and may be hostile: only plain ones are evaluated, on short fields.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qsl

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.cassette.url import canonical_url
from caia_replay.core.provider import HttpReply, HttpRequest
from caia_replay.errors import BadInput, Miss

FIELDS: Final = ("urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length")
"""What a row tells where ``fl`` names nothing else."""
FIRST, LAST = "0" * 14, "9" * 14
"""Below and above every capture's moment."""

_ONCE: Final = frozenset({"url", "matchType", "from", "to", "fl", "output", "limit", "offset", "showResumeKey",
                          "resumeKey", "gzip"})  # fmt: skip
_MATCHES: Final = frozenset({"exact", "prefix", "host", "domain"})
_DIGITS: Final = re.compile(r"[0-9]{1,14}")
_NUMBER: Final = re.compile(r"-?[1-9][0-9]{0,8}")
_MOMENT: Final = re.compile(r"[0-9]{14}")
_FILTER: Final = re.compile(r"(!?)([a-z]+):((?:[A-Za-z0-9/_|-]|\.(?!\*)|\[[0-9]+\])*(?:\.\*)?"
                            r"(?:[A-Za-z0-9/_|-]|\.(?!\*)|\[[0-9]+\])*)")  # fmt: skip
_COLLAPSE: Final = re.compile(r"([a-z]+)(?::([1-9][0-9]?))?")
_PAGE: Final = re.compile(r"(?:(https?):/{1,2})?([^/?#\s]+)([^\s]*)", re.IGNORECASE)
_LONGEST_FILTER, _LONGEST_FIELD = 64, 256
_WHOLE_CUT: Final = 1_000
"""Servers cut lists at whole thousands (150,000 by default): a list of so many rows may go on."""

Row = dict[str, str]


@dataclass(frozen=True, slots=True)
class CdxQuestion:
    """One question for a listing. ``first`` and ``last`` are 14 digits; ``others`` is what is not understood here."""

    url: str
    match: str
    first: str = FIRST
    last: str = LAST
    filters: tuple[str, ...] = ()
    collapses: tuple[str, ...] = ()
    fields: tuple[str, ...] = FIELDS
    is_json: bool = False
    limit: int | None = None
    offset: int = 0
    shows_key: bool = False
    resume: str = ""
    others: tuple[tuple[str, str], ...] = ()

    @property
    def shape(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What decides which of the captures are listed, beside the window."""
        return self.filters, self.collapses


@dataclass(frozen=True, slots=True)
class Listing:
    """Rows of one reply; ``key`` goes on where the list was cut, ``is_cut`` says that it was, or may have been."""

    question: CdxQuestion
    rows: Sequence[Row]
    columns: tuple[str, ...]
    key: str
    is_cut: bool


def cdx_question(request: HttpRequest) -> CdxQuestion:
    """A listing's question. What cannot be read of it stands in ``others``: it is answered as recorded or not at all.

    Raises ``Miss`` for a question without an address.
    """
    query = request.url.partition("#")[0].partition("?")[2]
    try:
        pairs = parse_qsl(query, keep_blank_values=True)
    except ValueError:
        pairs = []
    fields = dict(pairs)
    others = [pair for pair in pairs if pair[0] not in _ONCE | {"filter", "collapse"}]
    others += [
        (name, fields[name]) for name in sorted(_ONCE & fields.keys()) if [one[0] for one in pairs].count(name) > 1
    ]
    if not fields.get("url"):
        raise Miss("http", f"GET {request.url:.300}", "a listing of no address")
    url, match = _scope(fields["url"], fields.get("matchType", ""))
    first, last, limit = fields.get("from", ""), fields.get("to", ""), fields.get("limit", "")
    others += [(name, text) for name, text in (("from", first), ("to", last)) if text and not _DIGITS.fullmatch(text)]
    if match not in _MATCHES:
        others.append(("matchType", match))
    if limit and not _NUMBER.fullmatch(limit):
        others.append(("limit", limit))
    offset = fields.get("offset", "0") or "0"
    if not (offset.isascii() and offset.isdigit() and len(offset) < 10):
        others.append(("offset", offset))
    if others:
        return CdxQuestion(url, match, others=tuple(sorted(others)))
    return CdxQuestion(
        url,
        match,
        first.ljust(14, "0"),
        last.ljust(14, "9"),
        tuple(sorted(text for name, text in pairs if name == "filter")),
        tuple(text for name, text in pairs if name == "collapse"),
        tuple(fields["fl"].split(",")) if fields.get("fl") else FIELDS,
        fields.get("output") == "json",
        int(limit) if limit else None,
        int(offset),
        fields.get("showResumeKey") == "true",
        fields.get("resumeKey", ""),
    )


def page_key(url: str) -> str:
    """One spelling for an address as people and captures write it: no scheme, no default port, host in lower case.

    An address that cannot be read is its own spelling.
    """
    found = _PAGE.fullmatch(url.strip())
    if found is None:
        return url
    scheme, host, rest = (found[1] or "http").lower(), found[2], found[3]
    host = host.removesuffix(":443" if scheme == "https" else ":80")
    try:
        return canonical_url(f"http://{host}{rest}").text().removeprefix("http://")
    except BadInput:
        return url


def host_of(url: str) -> str:
    """The host of an address or of a pattern over one, without a leading ``www.``."""
    return page_key(url.removeprefix("*.")).partition("/")[0].removeprefix("www.")


def read_listing(question: CdxQuestion, reply: HttpReply) -> Listing | None:
    """A reply's rows; None where they are no answer to their own question: malformed, out of order or of its window."""
    if reply.status != 200 or question.others:
        return None
    found = _table(question, reply.body)
    if found is None:
        return None
    columns, table, key = found
    rows = [dict(zip(columns, cells, strict=True)) for cells in table]
    moments = [row.get("timestamp", "") for row in rows]
    if "timestamp" in columns:
        order = moments if question.match == "exact" else [(row.get("urlkey", ""), row["timestamp"]) for row in rows]
        tells_order = question.match == "exact" or "urlkey" in columns
        if not all(_MOMENT.fullmatch(at) and question.first <= at <= question.last for at in moments):
            return None
        if tells_order and order != sorted(order):
            return None
    limit = question.limit
    if limit is not None and len(rows) > abs(limit):
        return None
    is_cut = bool(key) or (limit is not None and len(rows) >= abs(limit))
    if not question.shows_key:
        is_cut = is_cut or (len(rows) > 0 and len(rows) % _WHOLE_CUT == 0)
    return Listing(question, rows, columns, key, is_cut)


def chosen(rows: Sequence[Row], columns: Sequence[str], asked: CdxQuestion, wanted: str) -> list[Row]:
    """The rows that filters and collapsing leave. Raises ``Miss`` where it is not certain what the vendor leaves."""
    if len(asked.collapses) > 1:
        raise Miss("http", wanted, "how several collapses go together is not documented")
    filters = [_filter(text, columns, wanted) for text in asked.filters]
    collapse = _collapse(asked.collapses[0], columns, wanted) if asked.collapses else None
    kept = [row for row in rows if all(_passes(one, row, wanted) for one in filters)]
    if collapse is None:
        return kept
    after = list(_collapsed(kept, *collapse))
    before = [row for row in _collapsed(rows, *collapse) if all(_passes(one, row, wanted) for one in filters)]
    if after != before:
        raise Miss("http", wanted, "whether filters come before collapsing is not documented, and it matters here")
    return after


def listing_body(rows: Sequence[Row], asked: CdxQuestion) -> bytes:
    """The reply's body: JSON with a row of names before the others (nothing at all where there are none), or lines."""
    table = [[row[name] for name in asked.fields] for row in rows]
    if asked.is_json:
        return canonical_bytes([list(asked.fields), *table] if table else [])
    return "".join(" ".join(cells) + "\n" for cells in table).encode("utf-8", "surrogatepass")


def _scope(url: str, match: str) -> tuple[str, str]:
    """An address and how far it matches; a wildcard says that too."""
    if match:
        return url, match
    if url.startswith("*."):
        return url[2:], "domain"
    if url.endswith("/*"):
        return url[:-1], "prefix"
    return url, "exact"


def _table(question: CdxQuestion, body: bytes) -> tuple[tuple[str, ...], list[list[str]], str] | None:
    """Names, cells and the key to go on with."""
    key = ""
    if question.is_json:
        try:
            table: Any = strict_json(body)
        except ValueError:
            return None
        if not isinstance(table, list) or not all(isinstance(cells, list) for cells in table):
            return None
        if question.shows_key and len(table) > 2 and table[-2] == [] and len(table[-1]) == 1:
            key, table = table[-1][0], table[:-2]
        if table and table[0] != list(question.fields):
            return None
        table = table[1:]
    else:
        try:
            lines = body.decode("utf-8").split("\n")
        except UnicodeDecodeError:
            return None
        lines = lines[:-1] if lines[-1] == "" else lines
        if question.shows_key and len(lines) > 2 and lines[-2] == "":
            key, lines = lines[-1], lines[:-2]
        table = [line.split(" ") for line in lines]
    names = question.fields
    is_sound = len(set(names)) == len(names) and isinstance(key, str)
    cells_are = all(len(cells) == len(names) and all(_is_cell(cell) for cell in cells) for cells in table)
    return (names, table, key) if is_sound and cells_are else None


def _is_cell(cell: Any) -> bool:
    return isinstance(cell, str) and cell != "" and not any(char.isspace() for char in cell)


def _filter(text: str, columns: Sequence[str], wanted: str) -> tuple[bool, str, re.Pattern[str]]:
    found = _FILTER.fullmatch(text) if len(text) <= _LONGEST_FILTER else None
    if found is None or found[2] not in columns:
        raise Miss("http", wanted, f"filter {text[:80]!r}: what the vendor makes of it is not recorded")
    return found[1] == "!", found[2], re.compile(found[3])


def _passes(one: tuple[bool, str, re.Pattern[str]], row: Row, wanted: str) -> bool:
    """Whether a row passes, if it does whether or not the vendor looks for the pattern anywhere in the field."""
    is_inverted, name, pattern = one
    value = row[name]
    if len(value) > _LONGEST_FIELD:
        raise Miss("http", wanted, f"a {name} too long to be searched")
    whole, part = pattern.fullmatch(value) is not None, pattern.search(value) is not None
    if whole != part:
        raise Miss("http", wanted, f"filter {pattern.pattern!r} fits a part of {value!r} only")
    return whole != is_inverted


def _collapse(text: str, columns: Sequence[str], wanted: str) -> tuple[str, int | None]:
    found = _COLLAPSE.fullmatch(text)
    if found is None or found[1] not in columns:
        raise Miss("http", wanted, f"collapse {text[:80]!r}: what the vendor makes of it is not recorded")
    return found[1], int(found[2]) if found[2] else None


def _collapsed(rows: Sequence[Row], name: str, length: int | None) -> Iterator[Row]:
    """The first of neighbours that begin alike."""
    last: str | None = None
    for row in rows:
        if row[name][:length] != last:
            yield row
        last = row[name][:length]
