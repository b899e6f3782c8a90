"""How many different accounts used a protocol on one UTC day."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.core.suite import ChainRecipe, Recipe
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import iso, midnights
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 5
_FEWEST: Final = (13, 5, 2)
_GUESSED: Final = (18, 95)
"""Fewer than the first, and these, are guessed too easily; less will do where a story has no such days."""


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage = story.scene.main
    days, activity = midnights(story, 2, 3), story.metrics.activity
    used = [(day, one) for one in story.metrics.protocols for day in days]
    by_least = ([one for one in used if activity.daily(one[1])[one[0]].users >= fewest] for fewest in _FEWEST)
    busy = next((found for found in by_least if len(found) >= _MOST), [])
    told: set[int] = set()
    # The largest protocol has most of the days, so each draw is of a protocol first.
    protocols = sorted({one.slug: one for _, one in busy}.values(), key=lambda one: one.slug)
    left = {one.slug: [day for day, other in busy if other == one] for one in protocols}
    for at in range(len(busy) * len(protocols)):
        protocol = protocols[at % len(protocols)]
        if not left[protocol.slug]:
            continue
        day = left[protocol.slug].pop(dice.number(0, len(left[protocol.slug]) - 1))
        midnight, use = stage.calendar.midnight(day), activity.daily(protocol)
        users, block = use[day].users, story.height_after(stage, midnight + 86_400, dice)
        others = (use[day - 1].users, use[day + 1].users, use[day].new_users, use[day].transactions, *_GUESSED)
        if block is None or users in told or users in others:
            continue
        told.add(users)
        yield Asked(
            f"By DefiLlama's count of active users, how many distinct addresses used {protocol.name} on "
            f"{iso(midnight)} (UTC)?",
            stage,
            block,
            number(users),
            gold(
                "$1.points.0.users",
                step("network_activity", protocol=protocol.slug, start=iso(midnight), end=iso(midnight)),
            ),
            protocol.slug,
            f"On {iso(midnight)} {protocol.name} was used by {{planted}} distinct addresses.",
            f"{iso(midnight)}（UTC）当天，有多少个不同的地址使用过 {protocol.name}？以 DefiLlama 的活跃用户数为准。",
        )


SHAPE: Final = Shape(
    "protocol-users", "project discovery", "DeFi metrics", ("network_activity",), _MOST, (1_000, 10_000),
    "A project is backed for users that it does not have.", 2, _asked,
    Recipe(
        r"distinct addresses used (?P<project>[\w ]+) on (?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})",
        "{project} distinct addresses users {day}",
        r"On {day} {project} was used by (?P<answer>[0-9][0-9,]*) distinct addresses",
        ChainRecipe(
            "network_activity", {"protocol": "{project}", "start": "{day}", "end": "{day}"},
            r'"transactions":[0-9]+,"users":(?P<answer>[0-9]+)',
        ),
        (r"(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})（UTC）当天，有多少个不同的地址使用过 (?P<project>[\w ]+)？",),
    ),
)  # fmt: skip
