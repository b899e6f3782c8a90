"""Addresses that a project's own documentation names: how its list of contracts says them, and where it stands.

Lists are written by several hands: "Router: 0x…", "0x… (router)", "Router at 0x…", "Router - 0x…", "The router is 0x…".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.core.gold import GoldStep
from caia_worldgen.execution.shelf import Shelf
from caia_worldgen.execution.story import Story, step
from caia_worldgen.rng import Rng
from caia_worldgen.stage import Stage

ADDRESS: Final = "0x[0-9a-f]{40}"
WALLET: Final = rf"wallet (?P<wallet>{ADDRESS})"
"""How a question says whose wallet it is about."""
AMOUNT: Final = r"[0-9][0-9,]{0,15}(?:\.[0-9]{1,6})?"
NAME: Final = r"[A-Z]\w{1,20} [A-Z]\w{1,20}"
THING: Final = r"(?P<whole>\w(?P<thing>\w{2,12}(?: \w{2,12})?(?: \w{2,12})?))"
"""What a contract is called, one to three words."""
TICKER: Final = r"\w{2,8}"
SITE: Final = r"[a-z0-9-]{3,60}\.[a-z]{2,10}"
ANSWER: Final = r"(?P<answer>0x[0-9a-fA-F]{40})\b"
TOKEN_LISTED: Final = (
    r"(?:\b{ticker}\)?(?: token on {network} is | token |: | lives at | contract(?: is|:) | is the contract )"
    r"|{project}(?:'s token lives at| is) |contract of {ticker} want |{ticker} to your wallet by its address, "
    rf"|(?={ADDRESS} is the {{ticker}} token)){ANSWER}"
)
"""How a list of contracts, the news, or whoever copies them, say where a project's token is."""
LISTED: Final = rf"(?:\w{{thing}}(?:: | at | - | is )|(?={ADDRESS} \(\w{{thing}}\))){ANSWER}"
"""The same of anything else; the group ``thing`` is its name without the first letter, which may be a capital."""


def contracts_page(story: Story, role: str) -> str:
    """Where a project's list of contracts stands."""
    return f"https://docs.{story.truth.subject(role).site}/contracts"


def list_of(story: Story, role: str) -> GoldStep:
    """The list, opened."""
    return step("url_fetching", url=contracts_page(story, role))


def token_in(step_number: int) -> str:
    """The expression for the token that a list names: it is the first address of a list."""
    return f"match(${step_number}.text, '{ADDRESS}')"


def thing_in(step_number: int, thing: str) -> str:
    """The expression for anything else that a list names."""
    rest = thing[1:]
    forms = rf"(?:\w{rest}(?:: | at | - | is )|(?={ADDRESS} .\w{rest}.))({ADDRESS})"
    return f"match(${step_number}.text, '{forms}')"


def heights(story: Story, stage: Stage, url: str, rng: Rng) -> Iterator[int]:
    """The suite's heights of the story's last third at which a page can be read, in an order that is drawn."""
    shelf = Shelf(story)
    made = shelf.page(url)
    since = None if made is None else shelf.since(made.page)
    if since is not None:
        yield from rng.some(late := late_heights(story, stage, since), len(late))


def late_heights(story: Story, stage: Stage, since: int = 0) -> list[int]:
    """The suite's heights in the story's last third, from a moment on."""
    begin = max(since, stage.calendar.midnight(story.scene.scale.days * 2 // 3))
    return [height for height in story.heights[stage.name] if stage.calendar.times[height] >= begin]


def is_listed(story: Story, role: str, address: str) -> bool:
    """Whether a project's list names an address."""
    made = Shelf(story).page(contracts_page(story, role))
    return made is not None and address in made.page.text
