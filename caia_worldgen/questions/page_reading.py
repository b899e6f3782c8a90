"""How gold chains read people, funds and days on pages: patterns, in the words that pages use.

A pattern has a group ``answer``, its only one, and slots for what a question names (``{project}``).
"""

from __future__ import annotations

import re
from typing import Final

NAME: Final = r"[A-Z][a-z]{2,14} [A-Z][a-z]{2,14}"
"""A person's first and last name."""
FUND: Final = r"[A-Z][a-z]{2,14} [A-Z][a-z]{2,12}(?: Fund)?"
"""A fund's name: Karovimet Ventures, Karovimet Labs Fund."""
DAY: Final = r"(?:20[0-9]{2}-[0-9]{2}-[0-9]{2}|[A-Z][a-z]{2,8} [0-9]{1,2}, 20[0-9]{2})"
"""2024-05-31 or May 31, 2024."""
HOLDER: Final = (
    r"(?:(?<={title}: )|(?<={title} is )|(?<={title}, )|(?<={title} )"
    rf"|(?=(?!{{project}}|{{kind}}){NAME}(?:\. |'s corner\. Title: |[ ,*'(][^\n.A-Z]{{0,90}}){{title}}"
    r"(?! (?:of|at) (?!{project}))))"
    rf"(?P<answer>(?!{{project}}|{{kind}}){NAME})"
)
"""Who holds a post, on a page of one project: "Our Lead Engineer is ...", "..., Lead Engineer"."""
LEAD: Final = (
    r"(?:led by |lead of |arranged by |round under |lead investor "
    rf"|(?={FUND}(?: has)? (?:led|leads|and friends|and others|wrote|said yes|in the lead|in front|leading|as lead)))"
    rf"(?P<answer>{FUND})"
)
"""Who led a round, on a page about that round."""
OPENED: Final = (
    r"(?:{ticker} against the dollar opens on |adds {project} \({ticker}\) on |open the {ticker} market on "
    r"|{project} passed our review and is listed from |{ticker} is the next addition to our markets; first trades on "
    rf"|(?:On|From) (?={DAY} (?:the order book for|customers can trade) {{ticker}}))(?P<answer>{DAY})"
)
"""The day on which a venue opens a market."""


def filled(pattern: str, **slots: str) -> str:
    """A pattern with its slots put in, for a gold chain. Raises ``KeyError`` for a slot that is not given."""
    return re.sub(r"\{([a-z]+)\}", lambda slot: re.escape(slots[slot[1]]).replace(r"\ ", " "), pattern)
