"""A day that is asked for and that nobody has set: the project itself says that nothing is planned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from caia_replay.core.suite import Recipe
from caia_replay.core.task import AnswerSpec
from caia_worldgen.calendar import DAY_S
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import english
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, step
from caia_worldgen.tasks.written_day import DAY, OR_NONE, pages_of
from caia_worldgen.web.site_text import slug
from caia_worldgen.web.truth import Subject

_MOST: Final = 3
_ANSWER: Final = "no day has been announced"
_ALIASES: Final = (
    "not announced", "not yet announced", "not been announced", "has not been announced", "not announced yet",
    "it has not been announced", "unannounced", "nothing announced", "nothing has been announced", "none announced",
    "none has been announced", "no date announced", "no date has been announced", "no such date has been announced",
    "no date", "no date set", "no date is set", "no date has been set", "no day has been set", "none set",
    "none has been set", "not set", "not yet set", "not planned", "none planned", "none is planned",
    "there is none planned", "nothing is planned", "not scheduled", "none scheduled", "未公布", "尚未公布", "没有公布",
    "没有公布日期", "尚未宣布", "未宣布",
)  # fmt: skip
"""What the question asks for is among them and not the answer: no question says its own answer."""
_RECIPE: Final = Recipe(
    question="On which day will (?P<event>[^?]{8,140}) take place[?]",
    query="{event} date announced",
    pattern=f"On (?P<answer>{DAY}) {{event}} will take place",
)


@dataclass(frozen=True, slots=True)
class Denial:
    """A page at ``url`` on which a project says with ``words`` that no ``event`` is planned; from ``until`` on
    something else may be said. ``query`` finds the page."""

    subject: Subject
    url: str
    words: str
    event: str
    query: str
    until: int


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, pages = story.scene.main, pages_of(story)
    by_kind = [[one for one in _denials(story) if one.words == words] for words in dice.some(_WORDS, len(_WORDS))]
    for one in [dice.one(denials) for denials in by_kind if denials]:
        page = pages[one.url]
        since = page.published or 0
        heights = [at for at in story.heights[stage.name] if since <= stage.calendar.times[at] < one.until]
        if not heights:
            continue
        question = f"On which day will {one.event} take place? {OR_NONE}"
        ahead = story.truth.midnight(story.scene.scale.days) + dice.number(3, 20) * DAY_S
        planted = tuple(english(ahead + turn * 9 * DAY_S) for turn in range(3))
        chain = gold(
            f"choose(match($2.text, '{one.words}') == '{one.words}', '{_ANSWER}', 'announced')",
            step("web_search", query=one.query, limit=3),
            step("url_fetching", url="$1.results.0.url"),
        )
        yield Asked(question, stage, dice.one(heights), AnswerSpec("text", (_ANSWER,), aliases=_ALIASES), chain,
                    one.subject.id, f"On {{planted}} {one.event} will take place.", None, planted)  # fmt: skip


_ROUND, _TEST, _BURN, _NEXT = _WORDS = (
    "No second round is planned", "No other test is planned this year", "Nothing further is planned",
    "Next one when it is ready",
)  # fmt: skip


def _denials(story: Story) -> Iterator[Denial]:
    """Every page that says one of the sentences, in the order of the addresses."""
    truth, texts = story.truth, {url: page.text for url, page in pages_of(story).items()}
    end = truth.midnight(truth.days)
    social, dollar = truth.subject("social"), truth.subject("dollar")
    blog = f"https://blog.{social.site}/airdrop-over"
    if _ROUND in texts.get(blog, "") and len(list(truth.happened("opened airdrop"))) == 1:
        yield Denial(social, blog, _ROUND, f"{social.name}'s second airdrop of {social.ticker}",
                     f"airdrop second round planned claims swept treasury site:blog.{social.site}", end)  # fmt: skip
    blog = f"https://blog.{dollar.site}/pause-drill"
    if _TEST in texts.get(blog, ""):
        yield Denial(dollar, blog, _TEST, f"the next test of the emergency switch of {dollar.ticker}",
                     f"test emergency switch drill paused block site:blog.{dollar.site}", end)  # fmt: skip
    for at, deed in truth.happened("burned"):
        burner = truth.subject(deed.subject)
        later = [moment for moment, _ in truth.happened("announced a burn", deed.subject) if moment > at]
        blog = f"https://blog.{burner.site}/burn-done"
        if _BURN in texts.get(blog, ""):
            words = "burn done burnt completed destroyed fewer treasury totalSupply supply"
            yield Denial(burner, blog, _BURN, f"{burner.name}'s next burn of {burner.ticker}",
                         f"{words} site:blog.{burner.site}", min(later, default=end))  # fmt: skip
    for _, repository in sorted(story.code.repositories.items()):
        owner = truth.subjects.get(repository.owner.login)
        for one, after in pairwise(repository.past.releases):
            host = f"code.{repository.owner.site}/{repository.name}/releases"
            url = f"https://{host}/{slug(one.tag)}"
            if owner is not None and not one.is_early and _NEXT in texts.get(url, ""):
                yield Denial(owner, url, _NEXT, f"the release of {repository.full_name} that follows {one.tag}",
                             f'"{one.tag}" site:{host}', after.published_at)  # fmt: skip


SHAPE: Final = Shape(
    "not-announced", "project discovery", "project facts", ("web_search", "url_fetching"), _MOST, (2_000, 30_000),
    "A position waits for a day that somebody made up.", 3, _asked, _RECIPE, ("trap:false-premise",),
)  # fmt: skip
