"""Days of a story as questions name them, as the tools take them, and as pages write them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from caia_replay.core.world import Page
from caia_worldgen.calendar import DAY_S
from caia_worldgen.tasks.shape import Story

_MONTHS: Final = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
                  "November", "December")  # fmt: skip
"""In English on every machine."""


def iso(moment: int) -> str:
    """2024-05-31"""
    return _at(moment).strftime("%Y-%m-%d")


def iso_time(moment: int) -> str:
    """2024-05-31T14:00:00Z"""
    return _at(moment).strftime("%Y-%m-%dT%H:%M:%SZ")


def english(moment: int) -> str:
    """31 May 2024"""
    at = _at(moment)
    return f"{at.day} {_MONTHS[at.month - 1]} {at.year}"


def chinese(moment: int) -> str:
    """2024年5月31日"""
    at = _at(moment)
    return f"{at.year}年{at.month}月{at.day}日"


def midnights(story: Story, first: int, last_before_end: int) -> range:
    """The days of a story, as numbers, from ``first`` to so many before its end."""
    return range(first, story.scene.scale.days - last_before_end)


def _at(moment: int) -> datetime:
    return datetime.fromtimestamp(moment, UTC)


DAY: Final = "(?:[A-Z][a-z]{2,8} [0-9]{1,2}, [0-9]{4}|[0-9]{1,2} [A-Z][a-z]{2,8} [0-9]{4}|[0-9]{4}-[0-9]{2}-[0-9]{2})"
"""A pattern of one day: March 3, 2024; 3 Mar 2024; 2024-03-03."""
OR_NONE: Final = "Answer with the day (YYYY-MM-DD) or exactly: not announced."
"""How a question for a day ends, whether the day was set or not: its own words tell nothing."""
OR_NONE_CHINESE: Final = "请回答日期（YYYY-MM-DD）；若未公布，请回答 not announced。"
"""The same in Chinese."""
NUMBER: Final = "[0-9]{1,3}(?:,[0-9]{3}){1,5}"
"""A pattern of a number with commas."""


def pages_of(story: Story) -> Mapping[str, Page]:
    """Every page by its address."""
    return {made.page.url: made.page for made in story.web.pages}


def one_day(first: int, second: int) -> bool:
    """Whether two moments are on one day, UTC: a post of the day after says the wrong day of what it tells."""
    return first // DAY_S == second // DAY_S
