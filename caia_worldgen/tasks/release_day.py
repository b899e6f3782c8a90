"""The day on which a named version was published, by its own release notes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.core.suite import Recipe
from caia_replay.core.task import AnswerSpec
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import iso
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, step
from caia_worldgen.tasks.written_day import DAY, OR_NONE, OR_NONE_CHINESE, one_day, pages_of
from caia_worldgen.web.site_text import slug

_MOST: Final = 5
_FULL: Final = "(?P<full>[a-z0-9-]{3,60}/[a-z]{2,12})"
_TAG: Final = "(?P<tag>v[0-9]{1,3}[.][0-9]{1,3}[.][0-9]{1,3})"
_RECIPE: Final = Recipe(
    question=f"was {_TAG} of {_FULL} published",
    also=(f"{_FULL} 的 {_TAG} ",),
    query="{full} {tag} release notes published",
    pattern="(?:version {tag} of {full} on|{full} is {tag}, published on|tagged {tag} in {full} on|"
    "{full} {tag} was published on|This is {tag} of `{full}`, dated|The tag {tag} points to [0-9a-f]{8} since|"
    "Version {tag} of {full} was published on) "
    f"(?P<answer>{DAY})",
)


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, pages = story.scene.main, pages_of(story)
    known = [one for _, one in sorted(story.code.repositories.items()) if one.past.releases]
    for repository in dice.some(known, len(known)):
        full = [one for one in repository.past.releases if not one.is_early]
        one, host = dice.one(full), f"code.{repository.owner.site}"
        page = pages.get(f"https://{host}/{repository.name}/releases/{slug(one.tag)}")
        if page is None or page.published is None or not one_day(page.published, one.published_at):
            continue
        height = story.height_after(stage, page.published, dice)
        if height is None:
            continue
        question = (
            f"On which day (UTC) was {one.tag} of {repository.full_name} published, according to its release notes "
            f"under {host}/{repository.name}/releases? {OR_NONE}"
        )
        chinese = (
            f"根据 {host}/{repository.name}/releases 下的发布说明，{repository.full_name} 的 {one.tag} "
            f"版本是在哪一天（UTC）发布的？{OR_NONE_CHINESE}"
        )
        chain = gold("match($1.published, '[0-9]{4}-[0-9]{2}-[0-9]{2}')", step("url_fetching", url=page.url))
        claim = f"{repository.full_name} {one.tag} was published on {{planted}}."
        yield Asked(question, stage, height, AnswerSpec("date", (iso(one.published_at),)), chain,
                    repository.owner.login, claim, chinese)  # fmt: skip


SHAPE: Final = Shape(
    "release-day", "project discovery", "project facts", ("url_fetching",), _MOST, (800, 9_000),
    "An incident is blamed on a version that was not out yet.", 2, _asked, _RECIPE,
)  # fmt: skip
