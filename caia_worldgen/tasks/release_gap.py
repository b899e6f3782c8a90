"""How many days lie between two versions of a repository: two pages, and the calendar between them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.calendar import DAY_S
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step
from caia_worldgen.tasks.written_day import one_day, pages_of
from caia_worldgen.web.site_text import slug

_MOST: Final = 4
_LEAST: Final = 20
"""Days between versions; fewer are guessed."""
_FULL: Final = "(?P<full>[a-z0-9-]{3,60}/[a-z]{2,12})"
_TAG: Final = "v[0-9]{1,3}[.][0-9]{1,3}[.][0-9]{1,3}"
_DATE: Final = "'[0-9]{4}-[0-9]{2}-[0-9]{2}'"
_BETWEEN: Final = (
    "= join('', list('from datetime import date as d; print((d.fromisoformat(\"', "
    f"match($2.published, {_DATE}), '\") - d.fromisoformat(\"', match($1.published, {_DATE}), '\")).days)'))"
)
_RECIPE: Final = Recipe(
    question=f"from (?P<first>{_TAG}) to (?P<second>{_TAG}) of {_FULL}",
    also=(f"{_FULL} 从 (?P<first>{_TAG}) 到 (?P<second>{_TAG}) ",),
    query="{full} {first} {second} days between releases",
    pattern="[Ff]rom {first} to {second} {full} took (?P<answer>[0-9]{1,4}) days",
)


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, pages, told_days = story.scene.main, pages_of(story), set[int]()
    known = [one for _, one in sorted(story.code.repositories.items()) if one.past.releases]
    for repository in dice.some(known, len(known)):
        full = [one for one in repository.past.releases if not one.is_early]
        if len(full) < 3:
            continue
        at = dice.number(0, len(full) - 3)
        first, second = full[at], full[at + 2]
        found = [pages.get(f"https://code.{repository.owner.site}/{repository.name}/releases/{slug(one.tag)}")
                 for one in (first, second)]  # fmt: skip
        told = [page.published for page in found if page is not None and page.published is not None]
        if len(told) < 2 or not (one_day(told[0], first.published_at) and one_day(told[1], second.published_at)):
            continue
        height = story.height_after(stage, max(told), dice)
        if height is None:
            continue
        days = second.published_at // DAY_S - first.published_at // DAY_S
        if days < _LEAST or days in told_days:
            continue
        told_days.add(days)
        host = f"code.{repository.owner.site}/{repository.name}/releases"
        question = (
            f"How many days did it take from {first.tag} to {second.tag} of {repository.full_name}, by the days (UTC) "
            f"on which their release notes under {host} were published?"
        )
        chinese = (
            f"按 {host} 下发布说明的发布日期（UTC）计算，{repository.full_name} 从 {first.tag} 到 {second.tag} "
            "相隔多少天？"
        )
        calls = [step("url_fetching", url=page.url) for page in found if page is not None]
        chain = gold("match($3.stdout, '[0-9]+')", *calls, step("code_execution", code=_BETWEEN))
        claim = f"From {first.tag} to {second.tag} {repository.full_name} took {{planted}} days."
        yield Asked(question, stage, height, number(days, "days"), chain,
                    repository.owner.login, claim, chinese)  # fmt: skip


SHAPE: Final = Shape(
    "release-gap", "project discovery", "project facts", ("url_fetching", "code_execution"), _MOST, (600, 7_000),
    "A team's pace is judged by a gap that never was.", 3, _asked, _RECIPE,
)  # fmt: skip
