"""Pages, posts and tables in which real gold chains find what their patterns look for; no word of them is CAIA's.

A chain says itself what it reads: a pattern, at an address or in what a search leads to. A page here holds a text that
the pattern matches, drawn from the pattern alone, and was there, and archived, before the chain's moment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import Final

from hypothesis import Phase, find, settings
from hypothesis import strategies as st

from caia_replay.core.expression import REFERENCE
from caia_replay.core.gold import GoldStep
from caia_replay.core.world import Page, Post
from caia_replay.recording.plan_table import PlannedTask
from caia_worldgen.services.x_api import User
from tests.caia_shelf import Shelf
from tests.chain_texts import matches, texts_of
from tests.named_vendors import BEGUN, DAY_S, share

_DRAW: Final = settings(database=None, derandomize=True, max_examples=200, phases=(Phase.generate,))
_PLAIN: Final = st.characters(min_codepoint=32, max_codepoint=126)
_SITE: Final = re.compile(r"site:(\S+)")
_FROM: Final = re.compile(r"from:(\w+)")
_OPERATOR: Final = re.compile(r'\b(?:site|from|since|until):\S+|"')
_BEFORE_S: Final = 20 * DAY_S
_LEAD: Final = "This page begins with words that nobody looks for. " * 12
_CHAINS: Final = " ".join(
    f'{{"name": "{name}", "chainId": {number}}}'
    for name, number in (("Ethereum Mainnet", 1), ("Polygon Mainnet", 137), ("Arbitrum One", 42161))
)


@cache
def sample(pattern: str) -> str:
    """A text that a pattern matches whole, of plain characters."""
    whole = re.compile(pattern, re.DOTALL)
    found = str(find(st.from_regex(whole, fullmatch=True, alphabet=_PLAIN), lambda _: True, settings=_DRAW))
    contract = found.replace("0" * 40, "c0de" * 10)  # what stands for an address is to be a contract's
    return contract if whole.fullmatch(contract) else found


@dataclass
class NamedWeb:
    """What stands on the web for the chains of ``tasks``: ``shelf`` has the pages, the network its posts and users."""

    tasks: Sequence[PlannedTask]
    shelf: Shelf = field(default_factory=Shelf)
    posts: list[Post] = field(default_factory=list)
    users: dict[str, User] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for task in self.tasks:
            if task.anchor.timestamp >= 0:
                for number, step in enumerate(task.gold.steps, 1):
                    self._put(task, number, step)

    def _put(self, task: PlannedTask, number: int, step: GoldStep) -> None:
        words = " ".join(str(task.gold.steps[at - 1].arguments.get("find", "")) for at in sorted(readers(task, number)))
        words = words.replace('"', "")
        told = [f"{words} {sample(one)} {words}" for one in dict.fromkeys(patterns_of(task, number))]
        if "chainid.network" in str(step.arguments.get("url", "")):
            told = [_CHAINS]  # it is code that looks into this one
        if step.tool == "url_fetching":
            address = self._address(task, str(step.arguments["url"]))
            if address:
                self._publish(address, told, task.anchor.timestamp - _BEFORE_S)
        elif step.tool == "web_search":
            query = str(step.arguments["query"])
            site = _SITE.search(query)
            told.append(_OPERATOR.sub("", query))
            self._publish(f"https://{site[1] if site else 'news.example'}/{task.id}-{number}", told, when(task, step))
        elif step.tool in ("twitter_search", "social_stream"):
            self._post(task, number, step, told)

    def _address(self, task: PlannedTask, url: str) -> str:
        """Where a step reads: as it is written, or as an earlier step's pattern finds it; "" for a search's result."""
        for (number, _), pattern in matches(url.removeprefix("= ")) if url.startswith("= ") else ():
            found = re.search(pattern, sample(pattern), re.DOTALL)
            assert found is not None and number
            return found[1] if found.re.groups else found[0]
        return "" if REFERENCE.fullmatch(url) else url

    def _publish(self, address: str, told: Sequence[str], at: int) -> None:
        """A page, or more on one that is there; it is dated and archived by the earliest who reads it."""
        known = self.shelf.pages.get(address)
        before = known.text.split("\n\n") if known else [_LEAD]
        text = "\n\n".join(dict.fromkeys((*before, *told)))
        begun = min(at, known.published or at) if known else at
        page = Page(address, f"Page {address}", text, begun)
        self.shelf.captures.pop(address, None)
        self.shelf.put(page, begun + DAY_S)

    def _post(self, task: PlannedTask, number: int, step: GoldStep, told: Sequence[str]) -> None:
        query = str(step.arguments.get("query", ""))
        handles = step.arguments.get("handles") or [found[1] if (found := _FROM.search(query)) else "somebody"]
        for handle in handles:
            self.users.setdefault(handle, User(handle, handle, "An account.", BEGUN, False, 10, 10))
            at = when(task, step)
            id_ = str(((at * 1_000 - 1_288_834_974_657) << 22) + int(1_000 * share(task.id, number, handle)))
            text = " ".join((*told, _OPERATOR.sub("", query))).strip() or "Good morning."
            self.posts.append(Post(id_, handle, text, at, id_))


def readers(task: PlannedTask, number: int) -> set[int]:
    """A step, and those that read what its results lead to."""
    steps = enumerate(task.gold.steps, 1)
    return {number, *(at for at, step in steps if f"${number}.results" in str(step.arguments.get("url", "")))}


def patterns_of(task: PlannedTask, number: int) -> Iterator[str]:
    """What a chain looks for in the reply of a step, and in pages that this step's results lead to."""
    pages = readers(task, number)
    for text in (task.gold.result, *texts_of([step.arguments for step in task.gold.steps])):
        yield from (pattern for (at, _), pattern in matches(text) if at in pages) if text else ()


def when(task: PlannedTask, step: GoldStep) -> int:
    """A moment in the window that a search names, else some days before the task's."""
    query = str(step.arguments.get("query", ""))
    days = [_seconds(text) for text in re.findall(r"(?:since|until):(\d{4}-\d\d-\d\d)", query)]
    days += [_seconds(str(step.arguments[name])) for name in ("first_day", "last_day") if name in step.arguments]
    return days[0] + DAY_S // 2 if days and "first_day" not in step.arguments and len(days) == 1 else (
        min(days) + DAY_S // 2 if days else task.anchor.timestamp - _BEFORE_S
    )  # fmt: skip


def _seconds(day: str) -> int:
    return int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp())
