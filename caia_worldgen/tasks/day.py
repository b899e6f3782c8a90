"""Days of a story as questions name them, and as the tools take them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

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
