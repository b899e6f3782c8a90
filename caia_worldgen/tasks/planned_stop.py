"""The day for which a venue announces that a coin cannot be paid in or out: the notice is found, then read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from caia_replay.core.suite import Recipe
from caia_replay.core.task import AnswerSpec
from caia_worldgen.calendar import DAY_S
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import chinese as chinese_day
from caia_worldgen.tasks.day import english, iso
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, step
from caia_worldgen.tasks.venue_notice import stops
from caia_worldgen.tasks.written_day import DAY, OR_NONE, OR_NONE_CHINESE

_MOST: Final = 5
_RECIPE: Final = Recipe(
    question="its notice of (?P<day>[0-9]{1,2} [A-Z][a-z]{2,8} [0-9]{4})[^?]{1,90}wallet of (?P<ticker>[A-Z0-9]{2,8}) ",
    also=(" (?P<ticker>[A-Z0-9]{2,8}) 钱包",),
    query="{ticker} wallet maintenance notice planned day",
    pattern="(?:(?:{ticker} wallet,|{ticker} wallet is to be down on|of {ticker} stop on|"
    f"{{ticker}} node will be updated on|{{ticker}} wallet to new machines on) (?={DAY})|"
    "(?:hours on|lunch of|Heads-up for|On) "
    f"(?={DAY}(?: is reserved for the|, no|:| we take the) {{ticker}}))(?P<answer>{DAY})",
)


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, truth = story.scene.main, story.truth
    venue = truth.cast.venue
    days = Counter((made.page.published or 0) // DAY_S for made in story.web.pages if made.kind == "notice")
    known = [one for one in stops(truth) if days[one.published // DAY_S] == 1]
    for one in dice.some(known, len(known)):
        height = story.height_after(stage, one.published, dice)
        if height is None:
            continue
        ticker = truth.subject(one.role).ticker
        question = (
            f"In its notice of {english(one.published)}, {venue.name} ({venue.site}) announced work on the wallet of "
            f"{ticker} during which nothing can be paid in or out. For which day was it planned? {OR_NONE}"
        )
        chinese = (
            f"{venue.name}（{venue.site}）在{chinese_day(one.published)}的公告中说 {ticker} 钱包将停机维护，"
            f"期间不能充值和提现。计划的维护日期是哪一天？{OR_NONE_CHINESE}"
        )
        day = iso(one.published)
        search = f"{ticker} wallet maintenance deposits withdrawals hours site:{venue.site}/notices"
        chain = gold(
            f"match($2.text, '{DAY}')",
            step("web_search", query=search, first_day=day, last_day=day, limit=3),
            step("url_fetching", url="$1.results.0.url"),
        )
        claim = f"By the notice of {english(one.published)} the {ticker} wallet is to be down on {{planted}}."
        yield Asked(question, stage, height, AnswerSpec("date", (iso(one.due),)), chain, truth.subject(one.role).id,
                    claim, chinese)  # fmt: skip


SHAPE: Final = Shape(
    "planned-stop", "project discovery", "project facts", ("web_search", "url_fetching"), _MOST, (1_000, 12_000),
    "A payment is planned for a day on which the door is shut.", 2, _asked, _RECIPE,
)  # fmt: skip
