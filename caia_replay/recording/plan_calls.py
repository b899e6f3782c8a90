"""Which requests the steps of a gold chain make, by the table of what each tool asks: nothing is run or asked.

A row of the table is filled with a step's arguments. What they do not say yet, because an earlier step or an earlier
reply has to, stays a gap. The request is then widened as the recorder widens it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.core.expression import REFERENCE, references
from caia_replay.core.gold import GoldStep, resolve
from caia_replay.core.provider import HttpRequest, Provider
from caia_replay.core.task import Anchor
from caia_replay.errors import BadInput, GoldFault, Miss, ToolError
from caia_replay.providers.dune.provider import execute_request
from caia_replay.providers.endpoint import provider_of
from caia_replay.providers.plain_http.repository import file_history
from caia_replay.providers.reader.address import ARCHIVE, capture_url, is_archived, page_url
from caia_replay.providers.reader.provider import ORIGIN as READER
from caia_replay.providers.reader.provider import page_request
from caia_replay.providers.solana.provider import transaction_request
from caia_replay.providers.web_archive.provider import WebArchiveProvider
from caia_replay.providers.web_archive.rows import CDX, digits_of
from caia_replay.recording.capture_request import CHAIN_IDS, NO_FORK
from caia_replay.recording.page_source import posts_question, web_question
from caia_replay.recording.plan_table import CHAIN_ID, GAP, MOMENT, PLACE, Place, PlannedTask, Row, Table
from caia_replay.tools.argument import DAY_S, HOUR_S, MINUTE_S, calendar_argument
from caia_replay.tools.catalog import CATALOG
from caia_replay.tools.search_window import window_argument

_QUOTED_GAP: Final = quote(GAP)
_UNITS_S: Final[Mapping[str, int]] = {"": 0, "m": MINUTE_S, "h": HOUR_S, "d": DAY_S}
_USUAL_BLOCK_MS: Final = 2_000
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_BEGINS: Final = re.compile(r"[?&](?:from=([0-9]{1,12})|startTime=([0-9]{1,15}))(?=&|$)")
_LONGEST: Final = 2_000
"""Characters of an argument that a pattern looks at."""


class Asked(NamedTuple):
    """A request with its gaps; ``exact`` has none. ``provider`` speaks for it, ``calls`` is how often it is made, and
    ``step`` the first step that makes it, from 1; 0 where the task names it. ``needed``: some step has nothing that
    stands in for it. ``begins`` is the earliest moment, in seconds, of what the steps ask of a history before that is
    widened: a vendor who refuses the wide question is asked the narrow one. None where that is not known yet."""

    method: str
    url: str
    body: str
    exact: bool
    provider: str
    calls: int
    step: int
    needed: bool
    begins: int | None


def asked_of(
    task: PlannedTask, providers: Sequence[Provider], table: Table
) -> tuple[list[Asked], Mapping[tuple[str, str], int]]:
    """Every request that recording ``task`` makes, each once in their order; and how often a chain's node is asked, by
    (chain, method). A step that its tool refuses asks nothing."""
    found: dict[tuple[str, str, str], Asked] = {}
    nodes: Counter[tuple[str, str]] = Counter()
    for number, step in enumerate(task.gold.steps, start=1):
        for row in () if refusal_of(step) else table.rows.get(step.tool, ()):
            for call in _calls(step, row, task.anchor, table):
                times = row.calls * -(-call.blocks(row) // row.blocks_a_call)
                if call.chain not in NO_FORK:
                    nodes.update({(call.chain, method): count * times for method, count in row.node.items()})
                for request in call.requests(row, providers):
                    _join(found, _asked(request, providers, times, number, not row.spare, call.begins(row)))
    for request in task.requests:
        _join(found, _asked(request, providers, 1, 0, False, _beginning(request.url)))
    return list(found.values()), nodes


def refusal_of(step: GoldStep) -> str:
    """Why the tool's own schema refuses a step's arguments; "" where it does not. What earlier steps tell is taken."""
    tool = CATALOG.get(step.tool)
    if tool is None:
        return f"no tool is called {step.tool[:60]!r}"
    return tool.refusal({name: _known(value) for name, value in step.arguments.items()}, unknown=GAP)


def depends(value: Any) -> tuple[int, ...]:
    """The steps, from 1, that an argument refers to, in lists and tables too."""
    if isinstance(value, str):
        return references(value) if value.startswith("= ") or REFERENCE.fullmatch(value) else ()
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, (list, tuple)) else ()
    return tuple(dict.fromkeys(number for one in inner for number in depends(one)))


def _known(value: Any) -> Any:
    """An argument as far as it is known before anything is asked, with gaps for what earlier steps tell."""
    if isinstance(value, (list, tuple)):
        return [_known(one) for one in value]
    try:
        return GAP if depends(value) else resolve(value, [])
    except GoldFault:
        return value


def _asked(
    request: HttpRequest, providers: Sequence[Provider], calls: int, step: int, needed: bool, begins: int | None
) -> Asked:
    url, body = request.url.replace(_QUOTED_GAP, GAP), request.body.decode("utf-8", "replace")
    is_exact = not step or GAP not in url + body
    provider, calls = provider_of(providers, request).name, 1 if is_exact else calls
    return Asked(request.method, url, body, is_exact, provider, calls, step, needed, begins)


def _beginning(url: str) -> int | None:
    """The moment, in seconds, that a question about a history begins with; None where it names none."""
    found = _BEGINS.search(url)
    return int(found[1] or int(found[2]) // 1_000) if found else None


def _join(found: dict[tuple[str, str, str], Asked], one: Asked) -> None:
    """What is exact is asked once. What has a gap may be another question every time."""
    key = (one.method, one.url, one.body)
    known = found.get(key)
    if known is None:
        found[key] = one
    else:
        calls = known.calls if known.exact else known.calls + one.calls
        begins = [at for at in (known.begins, one.begins) if at is not None]
        found[key] = known._replace(
            calls=calls, needed=known.needed or one.needed, begins=min(begins) if begins else None
        )


def _calls(step: GoldStep, row: Row, anchor: Anchor, table: Table) -> Iterator[_Call]:
    """A step as often as a row counts for it: not where the row does not fit, and once for each item of ``each``."""
    known = CATALOG[step.tool].arguments.model_fields
    arguments = {name: None if one.is_required() else one.default for name, one in known.items()}
    arguments |= {name: _known(value) for name, value in step.arguments.items() if value is not None}
    call = _Call(arguments, anchor, table)
    if call.fits(row):
        if not row.each:
            yield call
        value = arguments.get(row.each)
        for item in value if isinstance(value, list) else str(value).split(",") if value is not None else ():
            yield replace(call, arguments={**arguments, row.each: item})


@dataclass(frozen=True, slots=True)
class _Call:
    """One call of a tool: its arguments as far as they are known, and where and when its task stands."""

    arguments: Mapping[str, Any]
    anchor: Anchor
    table: Table

    @property
    def now(self) -> int | None:
        """The task's moment; None where only its block tells it."""
        return self.anchor.timestamp if self.anchor.timestamp >= 0 else None

    @property
    def chain(self) -> str:
        """The chain that is named, or the task's own."""
        text = _text(self.arguments.get("chain")).strip().lower()
        by_id = {str(number): name for name, number in CHAIN_IDS.items()}
        return self.anchor.chain if text in ("", GAP, "all") else by_id.get(text, text)

    def fits(self, row: Row) -> bool:
        """Whether the row counts for these arguments."""
        if row.days:
            first, last = self._moment("start"), self._moment("end")
            span = 0.0 if first is None or last is None else (last - first) / DAY_S
            if not row.days[0] < span <= row.days[1]:
                return False
        return any(all(self._is(names, wanted) for names, wanted in one.items()) for one in row.alternatives)

    def blocks(self, row: Row) -> int:
        """How many blocks the row's range has, both ends included; 1 where it has none, or where that is not known."""
        ends = [self._end(text, at) for at, text in enumerate(row.blocks)]
        if not ends or None in ends or isinstance(ends[0], str) != isinstance(ends[1], str):
            return 1
        span = int(ends[1] or 0) - int(ends[0] or 0)
        pace_ms = self.table.block_ms.get(self.chain, _USUAL_BLOCK_MS)
        count = span + 1 if isinstance(ends[0], str) else span * 1_000 // pace_ms
        if self.chain == self.anchor.chain and self.anchor.block >= 0:
            count = min(count, self.anchor.block + 1)
        return max(1, count)

    def begins(self, row: Row) -> int | None:
        """When what a row asks of a history begins, in seconds; None where it names no moment, or none yet."""
        return _beginning(self._filled(row.url, is_url=True))

    def requests(self, row: Row, providers: Sequence[Provider]) -> Iterator[HttpRequest]:
        """What the recorder asks for the row, with quoted gaps."""
        text, now = self._filled(row.text), self.now
        if row.url:
            yield from self._widened(HttpRequest("GET", self._filled(row.url, is_url=True)), providers)
        elif row.ask == "web":
            yield self._search(text)
        elif row.ask == "posts":
            asked = posts_question(text, now or 0)
            if now is None or GAP in text:
                yield HttpRequest("GET", f"{asked.url.partition('?')[0]}?{_QUOTED_GAP}")
            else:
                yield self._widened(asked, providers)[0]  # the recorder leaves out the others, which tell the same
        elif row.ask == "page":
            yield from self._page(text)
        elif row.ask == "statement":
            yield execute_request(text)
        elif row.ask == "signature":
            yield transaction_request(text)

    def _search(self, query: str) -> HttpRequest:
        """The search API's question, in the window that the arguments name."""
        past, first_day, last_day = (self.arguments.get(name) for name in ("past", "first_day", "last_day"))
        try:
            window = window_argument(past, first_day, last_day, self.now or 0)
            request = web_question(query, window.tbs, self.now or 0)
            if self.now is not None:
                return request
        except ToolError:
            request = web_question(query, "", 0)
        return replace(request, body=canonical_bytes({**strict_json(request.body), "tbs": GAP}))

    def _page(self, text: str) -> Iterator[HttpRequest]:
        """The archive's list of captures, and the reader on the latest one, whose moment that list tells."""
        try:
            address = page_url(text)
        except ToolError:
            address = ""
        if is_archived(address):
            yield page_request(address)
            return
        if address and self.now is not None:
            capture = HttpRequest("GET", capture_url(address, digits_of(self.now)))
            yield WebArchiveProvider().widen(capture, self.now)[0]
        else:
            yield HttpRequest("GET", f"https://{ARCHIVE}{CDX}?{_QUOTED_GAP}")
        yield from filter(None, [file_history(address)])
        yield HttpRequest("GET", f"{READER}/https://{ARCHIVE}/web/{_QUOTED_GAP}{'/' * bool(address)}{address}")

    def _widened(self, request: HttpRequest, providers: Sequence[Provider]) -> Sequence[HttpRequest]:
        """What the recorder asks instead; the request itself where its provider cannot read it as far as it is."""
        if request.url.endswith(f"?{_QUOTED_GAP}"):
            return [request]
        try:
            return list(provider_of(providers, request).widen(request, self.now or 0)) or [request]
        except (Miss, BadInput, ToolError, ValueError, LookupError):
            return [request]

    def _is(self, names: str, wanted: bool | str) -> bool:
        values = [self.arguments.get(name) for name in names.split("|")]
        if isinstance(wanted, bool):
            return any(map(_is_given, values)) == wanted
        return re.fullmatch(wanted, _text(values[0])) is not None

    def _moment(self, name: str, before_s: int = 0) -> int | None:
        """A moment in seconds; None where it is not known yet."""
        value = self.arguments.get(name)
        if self.now is None or value == GAP:
            return None
        try:
            return (self.now if value is None else calendar_argument(value, self.now)) - before_s
        except ToolError:
            return None

    def _end(self, text: str, is_last: int) -> int | str | None:
        """One end of a range: a height as a text, or a moment; the last moment of a date that ends it."""
        found = MOMENT.fullmatch(text)
        assert found is not None
        value = _text(self.arguments.get(found[1]))
        if found[1].endswith("_block") and value.isascii() and value.isdecimal():
            return value[:18]
        moment = self._moment(found[1], int(found[2] or 0) * _UNITS_S[found[3] or ""])
        return moment if moment is None or not (is_last and _DATE.fullmatch(value)) else moment + DAY_S

    def _filled(self, text: str, is_url: bool = False) -> str:
        """A row's text with its places filled."""

        def put(found: re.Match[str]) -> str:
            name, count, unit, form = found.groups()
            value = GAP
            if form:
                moment = self._moment(name, int(count or 0) * _UNITS_S[unit or ""])
                value = GAP if moment is None else str(moment * (1_000 if form == "ms" else 1))
            elif name == CHAIN_ID:
                value = str(CHAIN_IDS.get(self.chain, GAP))
            else:
                value = self._placed(self.table.places[name])
            return quote(value, safe="") if is_url else value

        filled = PLACE.sub(put, text)
        return filled.replace(GAP, _QUOTED_GAP) if is_url else filled

    def _placed(self, place: Place) -> str:
        value = next((value for name in place.of if _is_given(value := self.arguments.get(name))), None)
        if value is None:
            return place.usual or GAP
        found = [re.fullmatch(place.match, _text(one)) for one in (value if isinstance(value, list) else [value])]
        texts = [GAP if one is None else place.before + one[1] for one in found]
        return " ".join(text.lower() if place.lower else text for text in texts)


def _is_given(value: Any) -> bool:
    return value is not None and value is not False and value not in ("", [], ())


def _text(value: Any) -> str:
    """An argument as a pattern looks at it; "" for none."""
    try:
        return "" if value is None else str(value)[:_LONGEST].encode("utf-8", "replace").decode()
    except ValueError:
        return GAP  # a number of thousands of digits
