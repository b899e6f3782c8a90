"""A figure that a project's own account posted on a day: what it said, and not what the chain or an index says."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.calendar import DAY_S
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import iso
from caia_worldgen.tasks.project_account import owners
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 6
_OF_ONE: Final = 2
"""How many posts of one account are asked about."""
_DAY: Final = "(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})"
_SHORT: Final = re.compile("[0-9] ?(?:million|billion|[KMB])(?= [$]| locked| as of)")
"""A figure with its factor as a letter or word: without the factor it would be another one."""
_READ: Final = (
    "= join('', list('import re; from fractions import Fraction as F; said = re.search(r\"([0-9][0-9,.]*[0-9]) ?"
    '(million|billion|[KMB])?(?= [$]| locked| as of)", """\', $1.results.0.text, \'"""); '
    'print(int(F(said[1].replace(",", "")) * {"K": 10**3, "M": 10**6, "million": 10**6, "B": 10**9, '
    '"billion": 10**9}.get(said[2], 1)))\'))'
)
_RECIPE: Final = Recipe(
    question=f"x[.]com/(?P<handle>[A-Za-z0-9_]{{2,30}})(?:, [^?]{{1,60}},)? (?:give|report)[^?]{{1,120}}post of {_DAY}",
    also=(f"x[.]com/(?P<handle>[A-Za-z0-9_]{{2,30}}) 在 {_DAY} ",),
    query="@{handle} post {day} weekly figure",
    pattern="@{handle} posted on {day} that (?P<answer>[0-9][0-9,.]*[0-9])",
)


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, projects = story.scene.main, owners(story.truth)
    posted = Counter((made.post.author, made.post.created // DAY_S) for made in story.web.posts)
    known = [made for made in story.web.posts if made.kind in ("weekly_tvl", "weekly_stake")]
    asked: Counter[str] = Counter()
    for made in dice.some(known, len(known)):
        post = made.post
        figure = next((claim for claim in made.claims if claim.kind in ("tvl", "staked")), None)
        height = story.height_after(stage, post.created, dice)
        subject = projects.get(post.author)
        if figure is None or not isinstance(figure.value, Fraction) or height is None or subject is None:
            continue
        if posted[post.author, post.created // DAY_S] > 1 or figure.value.denominator > 1:
            continue
        if asked[post.author] == _OF_ONE or not _SHORT.search(post.text):
            continue
        asked[post.author] += 1
        day, locked, account = iso(post.created), figure.kind == "tvl", f"x.com/{post.author}"
        question = (
            f"How many US dollars locked in {subject.name} did {account} give in its post of {day}? Take the figure as "
            "the project's account posted it."
            if locked
            else f"How many staked {subject.ticker} did {account}, the account of {subject.name}, report in its post "
            f"of {day}? Take the figure as posted."
        )
        chinese = (
            f"项目官方账号 {account} 在 {day} 的帖子里说 {subject.name} 锁仓多少美元？请按帖子里的数字回答。"
            if locked
            else f"项目官方账号 {account} 在 {day} 的帖子里说质押了多少 {subject.ticker}？请按帖子里的数字回答。"
        )
        search = f"{subject.name} {subject.ticker} locked TVL staked stakers staking pool from:{post.author}"
        chain = gold(
            "match($2.stdout, '[0-9]+')",
            step("twitter_search", query=search, first_day=day, last_day=day, limit=3),
            step("code_execution", code=_READ),
        )
        what = f"dollars were locked in {subject.name}" if locked else f"{subject.ticker} were staked"
        claim = f"@{post.author} posted on {day} that {{planted}} {what}."
        yield Asked(question, stage, height, number(figure.value, "USD" if locked else subject.ticker, "0.1"), chain,
                    subject.id, claim, chinese)  # fmt: skip


SHAPE: Final = Shape(
    "posted-figure", "project discovery", "project facts", ("twitter_search", "code_execution"), _MOST, (700, 9_000),
    "A project is held to a figure it never gave.", 3, _asked, _RECIPE, ("trap:units",),
)  # fmt: skip
