"""How recipes and gold chains read people, funds, sums and days on pages: patterns, in the words that pages use.

Patterns over pages have a group ``answer``, their only one, and slots for what a question names (``{project}``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from caia_worldgen.tasks.day import english, iso

ENGLISH_DAY: Final = r"(?P<day>\d{1,2}) (?P<month>[A-Z][a-z]+) (?P<year>\d{4})"
"""A day of an English question: 31 May 2024."""
CHINESE_DAY: Final = r"(?P<year>\d{4})年(?P<month>\d{1,2})月(?P<day>\d{1,2})日"
"""A day of a Chinese question: 2024年5月31日."""
STATED_DAY: Final = r"(?:\b{day} {month} {year}|\b{month} {day}, {year}|\b{year}-0?{month}-0?{day})\b"
"""That day on a page: 31 May 2024 or May 31, 2024 for an English question, 2024-05-31 for a Chinese one."""
REST_OF_DAY: Final = r"[ (0-9)-]{0,14}"
"""What follows that day where a page states it both ways (``stated``)."""
ON_DAY: Final = rf"[A-Za-z0-9 (]{{0,19}}{STATED_DAY}"
"""That day where a page states it both ways and nothing need follow: the other way may stand before it."""
NUMBER: Final = r"(?P<answer>-?[0-9][0-9,]{0,20}(?:\.[0-9]{1,30})?)"
"""A number as the answer on a page, with or without commas and decimals."""


def stated(moment: int) -> str:
    """31 May 2024 (2024-05-31)"""
    return f"{english(moment)} ({iso(moment)})"


NAME: Final = r"[A-Z][a-z]{2,14} [A-Z][a-z]{2,14}"
"""A person's first and last name."""
FUND: Final = r"[A-Z][a-z]{2,14} [A-Z][a-z]{2,12}(?: Fund)?"
"""A fund's name: Karovimet Ventures, Karovimet Labs Fund."""
PROJECT: Final = r"(?P<project>[A-Z][a-z]{2,14} (?P<kind>[A-Z][A-Za-z ]{2,25}))"
"""A project's name in a question; ``kind`` is all but its first word: Credit Union."""
COIN: Final = PROJECT + r" \((?P<ticker>[A-Z]{2,8})\)"
"""A project and its ticker in an English question."""
CHINESE_COIN: Final = PROJECT + r"（(?P<ticker>[A-Z]{2,8})）"
"""A project and its ticker in a Chinese question."""
ROUND: Final = r"(?P<round>[A-Za-z -]{4,12})"
"""A round in a question: Series A, pre-seed."""
CHINESE_ROUND: Final = r" ?[^（）]{1,4}轮（(?P<round>[A-Za-z -]{4,12})）"
"""A round in a Chinese question: its Chinese name, and the pages' own behind it."""
OUTLET: Final = r"(?P<outlet>[A-Z][A-Za-z ]{3,40})"
"""An outlet in a question."""
DAY: Final = r"(?:20[0-9]{2}-[0-9]{2}-[0-9]{2}|[A-Z][a-z]{2,8} [0-9]{1,2}, 20[0-9]{2})"
"""2024-05-31 or May 31, 2024."""
SUM: Final = r"[$0-9][0-9,]{0,12}(?:\.[0-9]{1,3})?(?: [mb]illion)?"
"""Dollars, with or without their sign."""
_NEAR: Final = r"{project}\b[^\n]{0,110}?"
"""The project that is asked about, and up to so much between its name and what is said of it, in one paragraph."""

HOLDER: Final = (
    r"(?:(?<={title}: )|(?<={title} is )|(?<={title}, )|(?<={title} )"
    rf"|(?=(?!{{project}}|{{kind}}){NAME}(?:\. |'s corner\. Title: |[ ,*'(][^\n.A-Z]{{0,90}}){{title}}"
    r"(?! (?:of|at) (?!{project}))))"
    rf"(?P<answer>(?!{{project}}|{{kind}}){NAME})"
)
"""Who holds a post, on a page of one project: "Our Lead Engineer is ...", "..., Lead Engineer"."""
HOLDER_OF: Final = (
    r"{project}\b[\s\S]{0,120}?(?:(?<={title}: )|(?<={title} is )|(?<={title}, )|(?<={title} )"
    r"|(?<=names )(?=[A-Za-z ]{6,31} as its {title})"
    rf"|(?=(?!{{project}}|{{kind}}){NAME}(?:\. |'s corner\. Title: |[ ,*'(][^\n.A-Z]{{0,90}}){{title}}"
    r"(?! (?:of|at) (?!{project}))))"
    rf"(?P<answer>(?!{{project}}|{{kind}}){NAME})"
)
"""Who holds a post, where the project is named before."""
RAISED: Final = (
    rf"(?:{_NEAR}(?:raised |took in |collected (?=\$)|round of |is done, at |raise\? |round, |, is (?=\$)"
    r"|20[0-9]{2}: (?=\$[0-9.]{1,8} million)|{project} \({ticker}\) (?=\$)|has (?=\$[0-9.]{1,8} million from))"
    r"|brought {project} \({ticker}\) "
    rf"|(?=\$[0-9.]{{1,8}} million(?: from its {{round}} round, | is what "
    rf"|: that is what investors under the lead of {FUND} paid into ){{project}}))(?P<answer>{SUM})"
)
"""How much a round of the project brought."""
LEAD: Final = (
    r"(?:led by |lead of |arranged by |round under |lead investor "
    rf"|(?={FUND}(?: has)? (?:led|leads|and friends|and others|wrote|said yes|in the lead|in front|leading|as lead)))"
    rf"(?P<answer>{FUND})"
)
"""Who led a round, on a page about that round."""
LEAD_OF: Final = (
    rf"(?:{_NEAR}(?:led by |arranged by |round under |lead investor |in, with (?={FUND} in the lead)"
    rf"|from (?={FUND} and others)|(?={FUND} (?:led|was lead)\b)|[0-9], with (?={FUND} (?:in the|as) lead))"
    rf"|(?={FUND} has led the {{round}} round of {{project}})"
    rf"|(?:led by|lead of) (?={FUND} (?:brought|paid into) {{project}}))(?P<answer>{FUND})"
)
"""Who led a round of the project."""
FOLLOWER: Final = (
    r"(?:Also in: |Alongside came |names on the list(?:: | are )|grateful to |cheques came from |round included "
    r"|Also in the round: |completed by |We welcome |Who else\? |Participation by |brought along |{lead} come "
    r"|investor, (?=[A-Za-z ]{5,40} signed)"
    rf"|(?=(?!{{lead}}){FUND} (?:took part|take part|joined|filled|invested on|got the same)))"
    rf"(?P<answer>(?!{{lead}}){FUND})"
)
"""Who took part in a round besides its lead, on a page about that round."""
FOLLOWER_OF: Final = r"{project}\b[\s\S]{0,300}?" + FOLLOWER
"""Who took part in a round of the project besides its lead."""
CLOSED: Final = (
    rf"(?:{_NEAR}(?:closed on |completed on |signed on |closing was |', the date |since (?={DAY}, when)"
    rf"|, (?={DAY}(?:\), most|, with |: \$))|\) on (?={DAY}: \$[0-9.]{{1,8}} million)"
    rf"|under {FUND}, on )|On (?={DAY} {{project}} \([A-Z]{{2,8}}\) closed))(?P<answer>{DAY})"
)
"""The day on which a round of the project was closed."""
HIRED: Final = (
    rf"(?:{{person}}[^.\n]{{0,100}}?(?:effective|since|said on|as of|\) on) |(?={DAY}(?: on,| that|,)? {{person}}))"
    rf"(?P<answer>{DAY})"
)
"""The day from which on somebody holds a post, by the sentence that names both."""
OPENED: Final = (
    r"(?:{ticker} against the dollar opens on |adds {project} \({ticker}\) on |open the {ticker} market on "
    r"|{project} passed our review and is listed from |{ticker} is the next addition to our markets; first trades on "
    rf"|(?:On|From) (?={DAY} (?:the order book for|customers can trade) {{ticker}}))(?P<answer>{DAY})"
)
"""The day on which a venue opens a market."""


_ROUNDS: Final[Mapping[str, str]] = {
    "pre-seed": "种子前", "seed": "种子", "private": "私募", "strategic": "战略", "Series A": " A ", "Series B": " B ",
}  # fmt: skip


def chinese_round(name: str) -> str:
    """私募轮（private）"""
    return f"{_ROUNDS[name]}轮（{name}）"


def filled(pattern: str, **slots: str) -> str:
    """A pattern with its slots put in, for a gold chain. Raises ``KeyError`` for a slot that is not given."""
    return re.sub(r"\{([a-z]+)\}", lambda slot: re.escape(slots[slot[1]]).replace(r"\ ", " "), pattern)
