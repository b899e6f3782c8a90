"""Who holds a post at a project, by the page about its people on its own site."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from caia_replay.core.suite import Recipe
from caia_replay.core.task import AnswerSpec
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.page_reading import CHINESE_COIN, COIN, HOLDER, HOLDER_OF, filled
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, step
from caia_worldgen.tasks.shelf import Shelf
from caia_worldgen.tasks.stranger import Strangers
from caia_worldgen.web.place import team

_MOST: Final = 6
_CHINESE: Final[Mapping[str, str]] = {
    "Chief Executive": "首席执行官", "Chief Technology Officer": "首席技术官", "Head of Research": "研究主管",
    "Lead Engineer": "首席工程师", "Head of Community": "社区主管", "Operations": "运营负责人",
    "Security Lead": "安全负责人", "Design Lead": "设计负责人",
}  # fmt: skip
"""What the posts are called in Chinese; the page's own word stands behind it."""


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    truth, stage, shelf, strangers = story.truth, story.scene.main, Shelf(story), Strangers(story, dice)
    subjects = [one for _, one in sorted(truth.subjects.items())]
    for subject in dice.some(subjects, len(subjects)):
        members = truth.cast.teams.get(subject.role) or truth.cast.teams.get(subject.id) or ()
        block = shelf.height(team(subject), stage, dice)
        if len(members) < 2 or block is None:
            continue
        member = dice.one(members[1:])  # the first one is quoted everywhere
        title, name = member.title, subject.name
        question = (
            f"Who holds the post of {title} at {name} ({subject.ticker})? Go by the team page of the project's own "
            f"site, {subject.site}/team, and give the full name."
        )
        chinese = (
            f"根据项目官网的团队页面（{subject.site}/team），{name}（{subject.ticker}）的{_CHINESE[title]}（{title}）"
            "是谁？请给出全名。"
        )
        result = f'match($1.text, "{filled(HOLDER, title=title, project=name, kind=name.partition(" ")[2])}")'
        yield Asked(
            question,
            stage,
            block,
            AnswerSpec("text", (member.name,)),
            gold(result, step("url_fetching", url=team(subject))),
            subject.id,
            f"{name} ({subject.ticker}) names {{planted}} as its {title}.",
            chinese,
            strangers.people(),
        )


SHAPE: Final = Shape(
    "team-member", "project discovery", "project facts", ("url_fetching",), _MOST, (500, 8_000),
    "An agreement is sent to somebody who cannot sign for the project.", 1, _asked,
    Recipe(
        rf"Who holds the post of (?P<title>[A-Z][A-Za-z ]{{3,30}}) at {COIN}\?",
        "{project} {ticker} team {title}",
        HOLDER_OF,
        also=(rf"，{CHINESE_COIN}的[^（]{{2,12}}（(?P<title>[A-Z][A-Za-z ]{{3,30}})）",),
    ),
)  # fmt: skip
