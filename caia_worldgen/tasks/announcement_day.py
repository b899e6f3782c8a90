"""The day on which a project's own account first said something, among later posts about the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.core.suite import Recipe
from caia_replay.core.task import AnswerSpec
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import iso
from caia_worldgen.tasks.project_account import owners
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, step
from caia_worldgen.tasks.written_day import DAY, OR_NONE, OR_NONE_CHINESE

_MOST: Final = 5
_TOLD: Final = {
    "burn_announced": ("that {amount} {ticker} would be burnt", "将销毁 {amount} 枚 {ticker}"),
    "airdrop_open": (
        "that {amount} {ticker} could be claimed as an airdrop",
        "开放领取总量 {amount} 枚 {ticker} 的空投",
    ),
    "airdrop_over": ("that {amount} {ticker} had not been claimed", "有 {amount} 枚 {ticker} 空投无人领取"),
    "vote_closed": (
        "that the vote on '{motion}' had ended with {amount} {ticker} in favour",
        "“{motion}”的投票以 {amount} 枚 {ticker} 赞成结束",
    ),
}
"""What an account tells, by the kind of its post, in English and Chinese."""
_NUMBER: Final = "(?P<amount>[0-9]{1,3}(?:,[0-9]{3})+)"
_RECIPE: Final = Recipe(
    question=f"x[.]com/(?P<handle>[A-Za-z0-9_]{{2,30}}) first post[^0-9?]{{1,90}}{_NUMBER}",
    also=(f"x[.]com/(?P<handle>[A-Za-z0-9_]{{2,30}}) [^0-9?]{{1,60}}{_NUMBER}",),
    query="@{handle} {amount} announcement post",
    pattern=f"@{{handle}} first posted about the {{amount}} on (?P<answer>{DAY})",
)


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, projects = story.scene.main, owners(story.truth)
    motions = {str(deed.figure("id")): deed.subject for _, deed in story.truth.happened("proposed")}
    known = [made for made in story.web.posts if made.kind in _TOLD and made.post.author in projects]
    for made in dice.some(known, len(known)):
        post, subject = made.post, projects[made.post.author]
        said = next((claim for claim in made.claims if claim.kind in ("other", "votes")), None)
        height = story.height_after(stage, post.created, dice)
        if height is None or said is None or "," not in said.words:
            continue
        amount = said.words
        slots = {"amount": amount, "ticker": subject.ticker, "motion": motions.get(said.subject, "")}
        english, chinese = (words.format(**slots) for words in _TOLD[made.kind])
        question = f"On which day (UTC) did the official account x.com/{post.author} first post {english}? {OR_NONE}"
        asked = f"官方账号 x.com/{post.author} 最早在哪一天（UTC）发帖说{chinese}？{OR_NONE_CHINESE}"
        chain = gold(
            "match(sort($1.results[*].time)[0], '[0-9]{4}-[0-9]{2}-[0-9]{2}')",
            step("twitter_search", query=f'"{amount}" from:{post.author}', order="newest", limit=50),
        )
        claim = f"@{post.author} first posted about the {amount} on {{planted}}."
        yield Asked(question, stage, height, AnswerSpec("date", (iso(post.created),)), chain, subject.id, claim, asked)


SHAPE: Final = Shape(
    "announcement-day", "project discovery", "project facts", ("twitter_search",), _MOST, (1_000, 14_000),
    "Insiders are suspected who traded on what was public.", 2, _asked, _RECIPE,
)  # fmt: skip
