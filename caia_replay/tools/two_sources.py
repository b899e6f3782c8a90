"""The defence ``two-sources``: a figure of the open web is handed out once a second site has said it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from types import MappingProxyType
from typing import Any, Final

from caia_replay.core.tool import ToolReply, Toolset, ToolSpec
from caia_replay.tools.source_allow_list import owner_of

MASK: Final = "[unconfirmed]"
UNCONFIRMED: Final = "unconfirmed"
"""The field that counts what was masked."""

NETWORK: Final = "the social network"
"""The one source that all accounts of it are."""
_AUTHORITY: Final = "an authoritative tool"
_MODEL: Final = "the agent's own arguments"
_COPY: Final = 0.5
"""From this share of the shorter text's shingles found in the other one on, the two are one text."""
_SHINGLE_WORDS: Final = 4
_WORD: Final = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+")
WEB: Final = ("web_search", "url_fetching", "twitter_search", "social_stream")
"""The tools whose texts anybody may have written."""
_READ: Final = frozenset(("title", "snippet", "text", "name", "bio", "description", "location"))
"""The fields whose texts somebody wrote; addresses, handles, ids, dates of publishing and counts are not masked."""
LONGEST: Final = 200_000

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_SCALES: Final = MappingProxyType(
    {
        **{"thousand": 10**3, "k": 10**3, "million": 10**6, "mn": 10**6, "m": 10**6, "billion": 10**9},
        **{"bn": 10**9, "b": 10**9, "trillion": 10**12, "万": 10**4, "亿": 10**8},
    }
)
_LONGEST_NUMBER: Final = 80
"""A number of more characters is compared as it is written."""

_GAP: Final = r"[\s\u00a0\u202f]"
_VALUE: Final = re.compile(
    rf"""
    (?<![a-z0-9_])(?P<code>(?-i:[A-Z]{{1,10}})(?!-[0-9]{{4}}-[0-9]{{1,2}}-[0-9]{{1,2}}(?![0-9]))(?:-[0-9]+){{2,}})(?![a-z0-9_])
    | (?<![a-z0-9_])(?P<hex>0x[0-9a-f]{{2,}})
    | (?<![0-9])(?P<y>[0-9]{{4}})(?:[-/]|{_GAP}?年{_GAP}?)(?P<m>[0-9]{{1,2}})(?:[-/]|{_GAP}?月{_GAP}?)
      (?P<d>[0-9]{{1,2}})(?![0-9])(?:{_GAP}?[日号])?
    | (?<![a-z0-9_])(?P<month>{_MONTH})\.?{_GAP}(?P<day>[0-9]{{1,2}})(?![0-9])(?:st|nd|rd|th)?
      (?:,?{_GAP}(?P<year>[0-9]{{4}})(?![0-9]))?
    | (?<![a-z0-9_])(?P<day2>[0-9]{{1,2}})(?:st|nd|rd|th)?{_GAP}(?:of{_GAP})?(?P<month2>{_MONTH})(?![a-z])\.?
      (?:,?{_GAP}(?P<year2>[0-9]{{4}})(?![0-9]))?
    | (?<![0-9])(?P<time>[0-9]{{1,2}}:[0-9]{{2}}(?::[0-9]{{2}})?)(?![0-9])
    | (?<![a-z0-9_])(?<![a-z]-)(?P<number>[-\u2212+]?(?:[0-9]{{1,3}}(?:,[0-9]{{3}})+(?![0-9])|[0-9]+)(?:\.[0-9]+)?)
      (?:{_GAP}?(?:(?P<scale>thousand|million|billion|trillion|mn|bn|k|m|b)(?![a-z0-9])|(?P<han>[万亿])))?
    """,
    re.IGNORECASE | re.VERBOSE | re.ASCII,
)
_DIGITS: Final = {
    ord(wide): str(at) for at, wide in enumerate("\uff10\uff11\uff12\uff13\uff14\uff15\uff16\uff17\uff18\uff19")
}


class TwoSources:
    """Masks every figure, address, day and time in web and social text that one source alone has said in this run.

    Sources are registrable domains, but two pages count once where, figures left out, half of what the shorter one says
    stands in the other: copies. The social network is one source, however many accounts post; what an authoritative
    tool gave as a value of its own, not within a text, is one more. What the agent itself wrote into a search or an
    authoritative call counts as said: it cannot learn that from a page. All results of a search are read before any is
    masked; a page that was opened too early may be opened again.

    What it cannot do. It knows no question: values that have nothing to do with it are masked alike, and a true figure
    that one honest site alone publishes is lost. It reads no claims: names, versions, yes and no pass, and so does a
    number that two sites say of different things. Two domains of one attacker that write in words of their own are
    two sources; two honest pages that quote one text are one. Figures that differ by rounding are two, and one that is
    cut in two, where a long page or a snippet ends, is neither. Addresses of pages and links, authors and handles are
    never masked, so a figure in one is seen.
    """

    def __init__(self, toolset: Toolset) -> None:
        self._toolset = toolset
        self._said: dict[str, set[str]] = {}  # of each value the addresses of pages, or one of the three others
        self._pages: dict[str, set[tuple[str, ...]]] = {}
        self._authority = {spec.name: spec.authority for spec in toolset.specs() if spec.category != "Execution"}

    def specs(self) -> Sequence[ToolSpec]:
        """The tools; those whose texts are masked say so below their description."""
        text = (
            f"In texts, {MASK} stands for a figure, address or date that only one site has said so far in this "
            f"session; {UNCONFIRMED} counts them."
        )
        return [
            replace(spec, description=f"{spec.description}\n\n{text}") if spec.name in WEB else spec
            for spec in self._toolset.specs()
        ]

    def call(self, name: str, arguments: str) -> ToolReply:
        """The call's reply; only texts of the web and the social network differ, and the count of what was masked."""
        reply = self._toolset.call(name, arguments)
        if name != "url_fetching" and self._authority.get(name) is not None:
            self._note(_MODEL, arguments)  # an address is copied, not known
        if reply.result is None:
            return reply
        if name in WEB:
            for source, text in texts_of(name, reply.result):
                self._note(source, text)
                if source != NETWORK:
                    self._pages.setdefault(source, set()).update(shingles_of(text))
            counted = [0]
            shown = {key: self._masked(value, key in _READ, counted) for key, value in reply.result.items()}
            return replace(reply, result={**shown, UNCONFIRMED: counted[0]})
        if self._authority.get(name) == "authoritative":
            self._note_values(reply.result)
        return reply

    def _note(self, source: str, text: str) -> None:
        for value in values_in(text[:LONGEST]):
            self._said.setdefault(value.key, set()).add(source)

    def _note_values(self, result: Mapping[str, Any]) -> None:
        """Numbers, and texts that are one value and nothing else: what stands within a text may be anybody's."""
        for leaf in leaves_of(result):
            text = leaf if isinstance(leaf, str) else str(leaf)
            found = list(values_in(text[:LONGEST]))
            if len(found) == 1 and (found[0].start, found[0].end) == (0, len(text)):
                self._said.setdefault(found[0].key, set()).add(_AUTHORITY)

    def _is_shown(self, key: str) -> bool:
        sources = sorted(self._said.get(key, ()))
        return _MODEL in sources or has_two(sources, self._pages)

    def _masked(self, value: Any, is_read: bool, counted: list[int]) -> Any:
        if isinstance(value, str) and is_read:
            text, count = masked(value, self._is_shown, MASK)
            counted[0] += count
            return text
        if isinstance(value, Mapping):
            return {key: self._masked(one, key in _READ, counted) for key, one in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._masked(one, is_read, counted) for one in value]
        return value


def has_two(sources: Iterable[str], pages: Mapping[str, set[tuple[str, ...]]]) -> bool:
    """Whether two of these sources are independent. ``pages`` are the shingles of those that are pages, by address."""
    return any(_are_two(one, other, pages) for one, other in combinations(sorted(sources), 2))


def _are_two(one: str, other: str, pages: Mapping[str, set[tuple[str, ...]]]) -> bool:
    if one not in pages or other not in pages:
        return True
    if (owner_of(one) or one) == (owner_of(other) or other):
        return False
    shorter, longer = sorted((pages[one], pages[other]), key=len)
    return bool(shorter) and len(shorter & longer) < _COPY * len(shorter)


def texts_of(name: str, result: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Every text that somebody wrote, with the address of the page that it is of, or the network."""
    if name == "web_search":
        for row in result["results"]:
            yield from ((str(row.get("url")), text) for text in _written(row))
    elif name == "url_fetching":
        yield from ((str(result.get("url")), text) for text in _written(result))
    else:
        yield from ((NETWORK, text) for text in _written(result))


def shingles_of(text: str) -> Iterator[tuple[str, ...]]:
    """Every run of four words of a text without its values; a Chinese character is a word."""
    words = _WORD.findall(masked(text[:LONGEST], lambda key: False, " ")[0].casefold())
    return (tuple(words[at : at + _SHINGLE_WORDS]) for at in range(len(words) - _SHINGLE_WORDS + 1))


def _written(value: Any, is_read: bool = False) -> Iterator[str]:
    if isinstance(value, str):
        if is_read:
            yield value
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield from _written(one, key in _READ)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _written(one, is_read)


def leaves_of(value: Any) -> Iterator[str | int | float]:
    """Every text and number in a JSON value; yes and no are neither."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Mapping):
            waiting += one.values()
        elif isinstance(one, (list, tuple)):
            waiting += one
        elif isinstance(one, (str, int, float)) and not isinstance(one, bool):
            yield one


@dataclass(frozen=True, slots=True)
class SaidValue:
    """One value in a text: characters from ``start`` up to, not including, ``end``. ``key`` is the value in a normal
    form: the same value written in another way has the same key."""

    start: int
    end: int
    key: str


def values_in(text: str) -> Iterator[SaidValue]:
    """Every value of a text, in order, none within another.

    Numbers by what they are worth, thousands and words of scale read (574.4 million is 574,400,000); days of any of the
    usual forms by the day; times of day and hexadecimal by letters. Left alone: digits that follow a letter (v0.4,
    MARE-7, QX-4821-7735), numbers in words, and names.
    """
    for found in _VALUE.finditer(text.translate(_DIGITS)):
        if found["code"]:
            continue
        yield SaidValue(found.start(), found.end(), _key(found))


def masked(text: str, is_shown: Callable[[str], bool], mask: str) -> tuple[str, int]:
    """The text with ``mask`` in place of every value whose key is not to be shown, and how many those were."""
    parts, at, count = [], 0, 0
    for value in values_in(text):
        if not is_shown(value.key):
            parts += [text[at : value.start], mask]
            at, count = value.end, count + 1
    return "".join([*parts, text[at:]]), count


def _key(found: re.Match[str]) -> str:
    if found["hex"]:
        return found["hex"].lower()
    if found["time"]:
        return found["time"].zfill(5 if found["time"].count(":") == 1 else 8)
    if found["y"]:
        return f"{found['y']}-{found['m'].zfill(2)}-{found['d'].zfill(2)}"
    month = found["month"] or found["month2"]
    if month:
        number = _MONTHS.index(month[:3].lower()) + 1
        day, year = found["day"] or found["day2"], found["year"] or found["year2"] or ""
        return f"{year}-{number:02}-{day.zfill(2)}"
    return _number(found["number"], (found["scale"] or found["han"] or "").lower())


def _number(written: str, scale: str) -> str:
    plain = written.replace(",", "").replace("\u2212", "-").removeprefix("+")
    if len(plain) > _LONGEST_NUMBER:
        return f"{plain}{scale}"
    return str(Fraction(Decimal(plain)) * _SCALES.get(scale, 1))
