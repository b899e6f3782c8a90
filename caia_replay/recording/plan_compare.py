"""What two dry runs of one chain agree on: a request equal in both is exact, one that differs is a template.

What differs follows from an earlier reply, or from the block of the anchor where its moment is not known yet. It is
shown as a gap, and so is every marked stand-in, whether it differs or not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl, quote, urlsplit

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.core.provider import HttpRequest, Provider
from caia_replay.errors import BadInput, Miss
from caia_replay.providers.endpoint import provider_of
from caia_replay.recording.plan_run import DryRun, StepRun
from caia_replay.recording.plan_stand_in import GAP, MARK, without_marks
from caia_replay.recording.plan_world import Asked

WINDOW: Final = frozenset({"from", "to", "startTime", "endTime", "start_time", "end_time"})
"""Parameters that bound a window: widening may round them to one figure although the questions' own differ."""
_GAPS: Final = re.compile(rf"(?:{re.escape(GAP)})+")
_SAFE: Final = ",:.-_~*()'!$;@/"


class Template(NamedTuple):
    """A request with its gaps; ``exact`` has none."""

    method: str
    url: str
    body: str
    exact: bool


class Planned(NamedTuple):
    """A template, who speaks for it, how often it is made, and the first step that makes it."""

    template: Template
    provider: str
    calls: int
    step: int


def compared(first: DryRun, second: DryRun, providers: Sequence[Provider]) -> list[Planned]:
    """Every request that a recorder would make for what the two runs asked, each once, in their order."""
    found: dict[Template, Planned] = {}
    for number, (one, other) in enumerate(zip(first.steps, second.steps, strict=True), start=1):
        for template, provider, calls in _step(one, other, (first.now, second.now), providers):
            known = found.get(template)
            if known is None:
                found[template] = Planned(template, provider, calls, number)
            elif not template.exact:
                found[template] = known._replace(calls=known.calls + calls)
    return list(found.values())


def _step(
    one: StepRun, other: StepRun, now: tuple[int, int], providers: Sequence[Provider]
) -> Iterator[tuple[Template, str, int]]:
    gaps: Counter[tuple[Template, str]] = Counter()
    for pair in zip_longest(one.asked, other.asked):
        known = [asked for asked in pair if asked is not None]
        provider = provider_of(providers, known[0].request)
        name = provider.name
        wide = [_widened(provider, *each) for each in zip(known, now, strict=False)]
        if len(known) == 1 or len(wide[0]) != len(wide[1]) or _moves(known[0].request, known[1].request):
            # How many parts a window has that is not known yet is not known either: its last part stands for all.
            template = template_of(wide[0][-1], wide[-1][-1], WINDOW)._replace(exact=False)
            gaps[template, name] += max(map(len, wide))
            continue
        for template in map(template_of, *wide):
            if template.exact:
                yield template, name, 1
            else:
                gaps[template, name] += 1
    for (template, name), count in gaps.items():
        yield template, name, count


def template_of(first: HttpRequest, second: HttpRequest, moving: frozenset[str] = frozenset()) -> Template:
    """What two requests share; parameters named in ``moving`` are gaps even where they are equal."""
    left, right = urlsplit(first.url), urlsplit(second.url)
    paths = [part.path.split("/") for part in (left, right)]
    is_alike = len(paths[0]) == len(paths[1])
    path = "/".join(_text(*pair) for pair in zip(*paths, strict=True)) if is_alike else "/" + GAP
    query = _query(left.query, right.query, moving)
    host = _text(left.netloc, right.netloc)
    url = f"{left.scheme}://{host}{path}{'?' + query if query else ''}"
    body = _body(first.body, second.body)
    exact = GAP not in url and GAP not in body
    return Template(first.method, first.url if exact else url, body, exact)


def _widened(provider: Provider, asked: Asked, now: int) -> list[HttpRequest]:
    """What a recorder asks instead; the request itself where its provider cannot read it."""
    if asked.is_wide:
        return [asked.request]
    try:
        return list(provider.widen(asked.request, now)) or [asked.request]
    except (Miss, BadInput, ValueError, LookupError):
        return [asked.request]


def _moves(first: HttpRequest, second: HttpRequest) -> bool:
    """Whether two questions are of different windows."""
    told = [dict(parse_qsl(urlsplit(one.url).query, keep_blank_values=True)) for one in (first, second)]
    return any(told[0].get(name) != told[1].get(name) for name in WINDOW)


def _query(first: str, second: str, moving: frozenset[str]) -> str:
    told = [dict(parse_qsl(one, keep_blank_values=True)) for one in (first, second)]
    shown = []
    for name in sorted(told[0].keys() | told[1].keys()):
        text = GAP if name in moving else _text(*(one.get(name, GAP) for one in told))
        shown.append(f"{_quoted(name)}={_quoted(text)}")
    return "&".join(shown)


def _quoted(text: str) -> str:
    """As a query has it; gaps stay what they are."""
    return GAP.join(quote(part, safe=_SAFE) for part in text.split(GAP))


def _body(first: bytes, second: bytes) -> str:
    try:
        left, right = strict_json(first), strict_json(second)
    except (ValueError, BadInput):
        return _text(first.decode("utf-8", "replace"), second.decode("utf-8", "replace"))
    shared = _value(left, right)
    return canonical_bytes(shared).decode()


def _value(first: Any, second: Any) -> Any:
    if isinstance(first, dict) and isinstance(second, dict):
        return {name: _value(value, second.get(name, GAP)) for name, value in first.items()}
    if isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        return [_value(*pair) for pair in zip(first, second, strict=True)]
    if isinstance(first, str) and isinstance(second, str):
        return _text(first, second)
    return first if first == second and type(first) is type(second) else GAP


def _text(first: str, second: str) -> str:
    """The shared text; a gap for marked stand-ins in it, for the whole where it differs otherwise."""
    if first == second and not MARK.search(first):
        return first
    left, right = without_marks(first), without_marks(second)
    if left == right:
        return _GAPS.sub(GAP, left)
    parts = [one.split(",") for one in (left, right)]
    if len(parts[0]) == len(parts[1]) > 1:
        return ",".join(_text(*pair) for pair in zip(*parts, strict=True))
    return GAP
