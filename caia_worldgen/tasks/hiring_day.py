"""From which day on somebody holds a post, by an outlet's report that has to be found first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.core.suite import Recipe
from caia_replay.core.task import AnswerSpec
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import iso
from caia_worldgen.tasks.page_reading import CHINESE_COIN, DAY, HIRED, OUTLET, PROJECT
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, step
from caia_worldgen.tasks.shelf import Shelf
from caia_worldgen.tasks.written_day import OR_NONE, OR_NONE_CHINESE

_MOST: Final = 5


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    truth, stage, shelf = story.truth, story.scene.main, Shelf(story)
    people = [
        (subject, member)
        for _, subject in sorted(truth.subjects.items())
        for member in truth.cast.teams.get(subject.role) or truth.cast.teams.get(subject.id) or ()
    ]
    for subject, member in dice.some(people, len(people)):
        reported = [
            (outlet, found[0])
            for outlet in truth.cast.newsrooms
            if len(found := shelf.under(outlet.url("people", ""), member.name)) == 1
        ]
        if len(reported) != 1 or member.title == "Operations":  # a field, which nobody takes the post of
            continue
        outlet, report = reported[0]
        taken = [one.moment for one in report.claims if (one.kind, one.words) == ("other", member.name)]
        block = shelf.height(report.page.url, stage, dice)
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


SHAPE: Final = Shape(
    "hiring-day", "project discovery", "project facts", ("web_search", "url_fetching"), _MOST, (500, 6_000),
    "A decision is put down to somebody who was not there yet.", 2, _asked,
    Recipe(
        rf"{OUTLET} \([a-z.]{{5,60}}\) wrote of (?P<person>[A-Z][a-z]{{2,14}} [A-Z][a-z]{{2,14}}) "
        rf"taking the post of (?P<title>[A-Z][A-Za-z ]{{3,30}}) at {PROJECT} \(",
        "{person} {project} {title} {outlet}",
        HIRED,
        also=(rf"{OUTLET}（[a-z.]{{5,60}}）报道过 (?P<person>[A-Z][a-z]{{2,14}} [A-Z][a-z]{{2,14}}) 出任 "
              rf"{CHINESE_COIN}(?P<title>[A-Z][A-Za-z ]{{3,30}}) 一事",),
    ),
)  # fmt: skip
