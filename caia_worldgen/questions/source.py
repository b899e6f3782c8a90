"""How gold chains find and read what is told of a matter: the first report, what settled it, and the values on either.

A maker of questions is shown the results of a search and opens the fitting one. A value is read by the words around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from caia_worldgen.questions.expression import Plan
from caia_worldgen.questions.known import Known
from caia_worldgen.web.matter import Form, Matter, written

SHOWN: Final = 20
"""How many results of a search somebody looks at."""
CLEAR: Final = 12
"""Among how many the fitting one is at first: the other places are room for what an attack plants before it."""
_CONTEXT: Final = (14, 22, 34, 60)
"""How many characters before a figure tell which one it is; as few as will do."""
_DIGITS: Final = "([0-9][0-9,]{0,30}(?:[.][0-9]{1,30})?)"
READS: Final[dict[Form, str]] = {
    "name": "([A-Z][a-z]{1,20} [A-Z][a-z]{1,20})",
    "date": "([A-Z][a-z]{2,8} [0-9]{1,2}, 20[0-9]{2})",
}
_MORE: Final = {
    "correction": "correction", "filing": "register entry", "later": "new date announcement", "team": "forum",
    "sum": "blog",
}  # fmt: skip
"""What somebody adds to a search who wants to know it exactly."""


@dataclass(frozen=True, slots=True)
class Found:
    """A source that was found and read: expressions for its text and its day, and the text as it stands there."""

    text: str
    day: str
    written: str


def _page(plan: Plan, known: Known, queries: Sequence[str], url: str) -> Found:
    """A page among the results of the first search that shows it. Raises ``ValueError`` where none does."""
    query = next((one for one in queries if url in known.find(one)[:CLEAR]), None)
    if query is None:
        raise ValueError(url)
    found = plan.call("web_search", query=query, limit=SHOWN)
    # By its address, not by its rank: what an attack plants moves the others down.
    page = plan.call("url_fetching", url=f"= first(where({found}.results, 'url', '{url}')).url")
    return Found(f"{page}.text", f"{page}.published", known.pages[url].text)


def _post(plan: Plan, known: Known, query: str, matter: Matter) -> Found:
    """The project's own post. Raises ``ValueError`` where a search does not show it."""
    handle = known.truth.cast.account_of(matter.subject.id).handle
    own = (one for one in known.find_posts(query)[:CLEAR] if (one.author, one.created) == (handle, matter.settled_at))
    post = next(own, None)
    if post is None:
        raise ValueError(query)
    found = plan.call("twitter_search", query=query, limit=SHOWN)
    shown = f"first(where({found}.results, 'id', '{post.id}'))"
    return Found(f"{shown}.text", f"{shown}.time", post.text)


def first_report(plan: Plan, known: Known, matter: Matter) -> Found:
    """The page that told it first. Raises ``ValueError`` where no search shows it."""
    query = _query(matter)
    return _page(plan, known, (query, f"{query} {matter.outlet.name}"), matter.first_url)


def settling(plan: Plan, known: Known, matter: Matter) -> Found:
    """Where it is settled, by a search for that kind of page, else by the one that showed the first report."""
    query = _query(matter)
    if matter.by_post:
        return _post(plan, known, query, matter)
    exactly = _MORE[matter.sort.settles]
    queries = (f"{query} {exactly}", f"{query} {matter.subject.ticker} {exactly}", query)
    return _page(plan, known, queries, matter.settled_url)


def _query(matter: Matter) -> str:
    """What somebody types who has read of it."""
    return f"{matter.subject.name} {filled(matter.sort.query, matter.words)}"


def read(source: Found, words: str, form: Form) -> str:
    """An expression that reads a value off a source, by what stands before it. Raises ``ValueError`` where nothing
    tells it apart."""
    figure = re.search(r"\d[\d,]*(?:\.\d+)?", words)
    shown = words if form in READS or figure is None else figure[0]
    stands = re.search(rf"(?<![\w.,]){re.escape(words)}(?!\w|[.,]\d)", source.written)
    if stands is None:
        raise ValueError(words)
    at = stands.start() + words.index(shown)
    for pattern in _patterns(source.written, at, at + len(shown), READS.get(form, _DIGITS)):
        hit = re.search(pattern, source.written)
        if hit is not None and hit.start(1) == at and hit[1] == shown:
            value = f'match({source.text}, "{pattern}")'
            scales = {"million": 10**6, "billion": 10**9, "trillion": 10**12}
            scale = next((by for word, by in scales.items() if words.endswith(word)), 0)
            return value if form in READS else f"({value} {f'* {scale}' if scale else '+ 0'})"
    raise ValueError(words)


def _patterns(text: str, start: int, end: int, group: str) -> Iterator[str]:
    """Patterns for what stands from ``start`` to ``end``, by the words before it, and at a line's beginning by those
    behind it; never by other figures."""
    for length in _CONTEXT:
        # Words that were cut in two are left out.
        near = re.sub(r"^\w+", "", text[max(0, start - length - 1) : start])
        before = re.split(r"[\n'\"\d]", near)[-1].lstrip()
        if len(before) > 1:
            yield re.escape(before).replace("\\ ", " ") + group
    for length in _CONTEXT:
        near = re.sub(r"\w+$", "", text[end : end + length + 1])
        after = re.split(r"[\n'\"\d]", near)[0].rstrip()
        if len(after) > 1:
            yield group + re.escape(after).replace("\\ ", " ")


def _clock(source: Found, words: str) -> str:
    """Minutes since midnight of a time of day on a source. Raises ``ValueError`` where nothing tells it apart."""
    at = source.written.index(words)
    for pattern in _patterns(source.written, at, at + len(words), "([0-9]{2}):[0-9]{2}"):
        hit = re.search(pattern, source.written)
        if hit is not None and hit.start(1) == at:
            minutes = pattern.replace("([0-9]{2}):[0-9]{2}", "[0-9]{2}:([0-9]{2})")
            return f'(match({source.text}, "{pattern}") * 60 + match({source.text}, "{minutes}"))'
    raise ValueError(words)


def filled(template: str, words: Mapping[str, str]) -> str:
    """A template with a matter's words in its slots."""
    return re.sub(r"\{([a-z_]+)\}", lambda slot: words[slot[1]], template)


def first_value(plan: Plan, known: Known, matter: Matter) -> str:
    """What was reported first, read off that report."""
    words = written(matter.sort.value, matter.first, is_exact=False)
    return read(first_report(plan, known, matter), words, matter.sort.value)


def settled_value(plan: Plan, known: Known, matter: Matter) -> str:
    """What holds, read off the source that settles it, or added up from its parts."""
    source, sort = settling(plan, known, matter), matter.sort
    if sort.settles != "sum":
        return read(source, written(sort.value, matter.settled), sort.value)
    told = [one.words for one in matter.told_parts(0).values()]
    if sort.value == "minutes":
        begin, end = (_clock(source, one) for one in told)
        return f"({end} - {begin})"
    one, other = (read(source, words, sort.value) for words in told)
    return f"({one} {'-' if sum(matter.parts) != matter.settled else '+'} {other})"
