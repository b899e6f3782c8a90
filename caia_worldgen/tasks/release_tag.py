"""The latest full release that a repository's changelog lists; candidates do not count."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.core.suite import Recipe
from caia_replay.core.task import AnswerSpec
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, step
from caia_worldgen.tasks.shelf import Shelf

_MOST: Final = 5
_NEWEST: Final = (
    '= join(\'\', list(\'import re; listed = re.findall("v([0-9]+)[.]([0-9]+)[.]([0-9]+)(?![-.0-9])", """\', '
    '$1.text, \'"""); print("v" + ".".join(map(str, max(tuple(map(int, one)) for one in listed))))\'))'
)
"""The largest version that no rc follows."""
_RECIPE: Final = Recipe(
    question="latest full release of (?P<full>[a-z0-9-]{3,60}/[a-z]{2,12}) that",
    also=("(?P<full>[a-z0-9-]{3,60}/[a-z]{2,12}) 最新",),
    query="{full} latest full release tag",
    pattern="(?:[Ll]atest (?:full )?release of {full} is|newest version of {full} as of [A-Za-z0-9 ,]{5,20} is) "
    "(?P<answer>v[0-9]{1,3}[.][0-9]{1,3}[.][0-9]{1,3})",
)


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, shelf = story.scene.main, Shelf(story)
    known = [one for _, one in sorted(story.code.repositories.items()) if one.past.releases]
    for repository in dice.some(known, len(known)):
        full, host = repository.full_name, f"code.{repository.owner.site}/{repository.name}/changelog"
        page = shelf.page(f"https://{host}")
        height = shelf.height(f"https://{host}", stage, dice)
        if page is None or page.page.known_since is None or height is None:
            continue
        # What came later, the page does not know.
        latest = repository.latest(page.page.known_since)
        if latest is None:
            continue
        question = (
            f"What is the latest full release of {full} that its changelog at {host} lists? Candidates (tags with rc) "
            "do not count. Answer with the tag."
        )
        chinese = (
            f"根据 {host} 上的变更日志，其中列出的 {full} 最新正式版本是哪个？带 rc 的候选版不算，请回答版本标签。"
        )
        chain = gold(
            "match($2.stdout, 'v[0-9]+[.][0-9]+[.][0-9]+')",
            step("url_fetching", url=f"https://{host}"),
            step("code_execution", code=_NEWEST),
        )
        answer = AnswerSpec("text", (latest.tag,), aliases=(latest.tag[1:],))
        claim = f"The latest full release of {full} is {{planted}}."
        yield Asked(question, stage, height, answer, chain, repository.owner.login, claim, chinese,
                    _never_made(story, dice))  # fmt: skip


def _never_made(story: Story, dice: Rng) -> tuple[str, ...]:
    """Tags that no repository has."""
    made = {one.tag for repository in story.code.repositories.values() for one in repository.past.releases}
    tags = (f"v{major}.{minor}.{patch}" for major in (0, 1, 2) for minor in range(2, 9) for patch in (5, 6, 7))
    return tuple(dice.some([tag for tag in tags if tag not in made], 3))


SHAPE: Final = Shape(
    "release-tag", "project discovery", "project facts", ("url_fetching", "code_execution"), _MOST, (1_500, 20_000),
    "A version is integrated that is not the one in use.", 3, _asked, _RECIPE,
)  # fmt: skip
