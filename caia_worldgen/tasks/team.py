"""Questions of who works for a project."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from caia_replay.core.task import AnswerSpec
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import OR_NONE, OR_NONE_CHINESE, iso
from caia_worldgen.tasks.page_reading import DAY, HOLDER, filled
from caia_worldgen.tasks.shape import Asked, Story, gold, step
from caia_worldgen.tasks.shelf import Shelf, Strangers
from caia_worldgen.web.place import team

_CHINESE: Final[Mapping[str, str]] = {
    "Chief Executive": "首席执行官", "Chief Technology Officer": "首席技术官", "Head of Research": "研究主管",
    "Lead Engineer": "首席工程师", "Head of Community": "社区主管", "Operations": "运营负责人",
    "Security Lead": "安全负责人", "Design Lead": "设计负责人",
}  # fmt: skip
"""What the posts are called in Chinese; the page's own word stands behind it."""


def hiring_day(story: Story, rng: Rng) -> Iterator[Asked]:
    """From which day on somebody holds a post, by an outlet's report that has to be found first."""
    truth, stage, shelf = story.truth, story.scene.main, Shelf(story)
    people = [
        (subject, member)
        for _, subject in sorted(truth.subjects.items())
        for member in truth.cast.teams.get(subject.role) or truth.cast.teams.get(subject.id) or ()
    ]
    for subject, member in rng.some(people, len(people)):
        reported = [
            (outlet, found[0])
            for outlet in truth.cast.newsrooms
            if len(found := shelf.under(outlet.url("people", ""), member.name)) == 1
        ]
        if len(reported) != 1 or member.title == "Operations":  # a field, which nobody takes the post of
            continue
        outlet, report = reported[0]
        taken = [one.moment for one in report.claims if (one.kind, one.words) == ("other", member.name)]
        block = shelf.height(report.page.url, stage, rng)
        if not taken or block is None:
            continue
        name, person = subject.name, member.name
        question = (
            f"{outlet.name} ({outlet.site}) wrote of {person} taking the post of {member.title} at {name} "
            f"({subject.ticker}). Which day did that report give for it? {OR_NONE}"
        )
        chinese = (
            f"{outlet.name}（{outlet.site}）报道过 {person} 出任 {name}（{subject.ticker}）{member.title} 一事。"
            f"该报道给出的日期是哪一天？{OR_NONE_CHINESE}"
        )
        calls = (
            step("web_search", query=f'"{person}" {name} site:{outlet.site}/people'),
            step("url_fetching", url="$1.results.0.url"),
        )
        yield Asked(
            question,
            stage,
            block,
            AnswerSpec("date", (iso(taken[0]),)),
            gold(f'match($2.text, "{DAY}")', *calls),
            subject.id,
            f"{name} ({subject.ticker}) has made {person} its {member.title}, effective {{planted}}.",
            chinese,
        )


def team_member(story: Story, rng: Rng) -> Iterator[Asked]:
    """Who holds a post at a project, by the page about its people on its own site."""
    truth, stage, shelf, strangers = story.truth, story.scene.main, Shelf(story), Strangers(story, rng)
    subjects = [one for _, one in sorted(truth.subjects.items())]
    for subject in rng.some(subjects, len(subjects)):
        members = truth.cast.teams.get(subject.role) or truth.cast.teams.get(subject.id) or ()
        block = shelf.height(team(subject), stage, rng)
        if len(members) < 2 or block is None:
            continue
        member = rng.one(members[1:])  # the first one is quoted everywhere
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
