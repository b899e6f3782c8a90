"""The day on which something went wrong at a project, by its own account of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from caia_replay.core.suite import Recipe
from caia_replay.core.task import AnswerSpec
from caia_worldgen.calendar import DAY_S
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import iso
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, step
from caia_worldgen.tasks.written_day import DAY, OR_NONE, one_day, pages_of
from caia_worldgen.web.truth import ROLES, Subject, Truth

_MOST: Final = 6
_TOLD: Final = "match($2.published, '[0-9]{4}-[0-9]{2}-[0-9]{2}')"
_NAMED: Final = f"match($2.text, 'On ({DAY})')"
_RECIPE: Final = Recipe(
    question="account on (?P<host>blog[.][a-z0-9.-]{4,60}), on which day [(]UTC[)] was it that "
    "(?P<what>[^?]{8,120})[?]",
    query="{what} what happened post-mortem",
    pattern=f"(?:It was on|On) (?P<answer>{DAY})(?: that {{what}}| claims from our staking pool began to fail"
    "| the price of our collateral fell)",
)


@dataclass(frozen=True, slots=True)
class Incident:
    """What happened at ``moment`` to whom, where it is told (a name in the project's blog), and words to find it by."""

    moment: int
    subject: Subject
    post: str
    what: str
    query: str
    reading: str = _TOLD


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, pages = story.scene.main, pages_of(story)
    known = list(_incidents(story.truth))
    for one in dice.some(known, len(known)):
        host = f"blog.{one.subject.site}"
        page = pages.get(f"https://{host}/{one.post}")
        if page is None or page.published is None:
            continue
        if one.post == "look-alike" and " appeared on " not in page.text:
            continue  # It tells no day, only that there is a copy.
        if one.reading == _TOLD and not one_day(page.published, one.moment):
            continue
        height = story.height_after(stage, page.published, dice)
        if height is None:
            continue
        chain = gold(
            one.reading,
            step("web_search", query=f"{one.query} site:{host}", limit=5),
            step("url_fetching", url="$1.results.0.url"),
        )
        question = f"By the project's own account on {host}, on which day (UTC) was it that {one.what}? {OR_NONE}"
        yield Asked(question, stage, height, AnswerSpec("date", (iso(one.moment),)), chain, one.subject.id,
                    f"It was on {{planted}} that {one.what}.")  # fmt: skip


def _incidents(truth: Truth) -> Iterator[Incident]:
    for role in ("arena", "storage"):
        subject, pool = truth.subject(role), f"{role} staking pool"
        refused = [at for at, deed in truth.happened("was refused", pool) if dict(deed.figures)["error"] == "Unfunded"]
        if refused:
            yield Incident(refused[0], subject, "claims-refused", f"claims from {subject.name}'s staking pool began to "
                           "fail", "claims refused fail Unfunded staking pool")  # fmt: skip
            for at in [at for at, _ in truth.happened("funded", pool) if at > refused[0]][:1]:
                yield Incident(at, subject, "claims-work-again", f"{subject.name}'s dry staking pool was funded again",
                               "pool funded again claims work post-mortem treasury")  # fmt: skip
    dollar, credit = truth.subject("dollar"), truth.scene.projects["credit"].ticker
    for at, _ in truth.happened("paused", "credit"):
        yield Incident(at, dollar, "credit-paused", f"the pause of transfers of {credit} began",
                       f'"{credit}" paused credit coin fails partner')  # fmt: skip
    for at, _ in truth.happened("unpaused", "credit"):
        yield Incident(at, dollar, "credit-unpaused", f"the pause of {credit} was lifted",
                       f'"{credit}" "moves again" pause ended')  # fmt: skip
    for at, _ in truth.happened("unpaused", "dollar"):
        yield Incident(at, dollar, "pause-drill", f"{dollar.ticker} itself was paused and released within one block",
                       "drill test emergency switch paused block standstill")  # fmt: skip
    for at, deed in truth.happened("copied"):
        if deed.subject in ROLES:
            subject = truth.subject(deed.subject)
            words = "false copy look-alike token beware approve explorers told real supply invented prices bookmark"
            what = f"a counterfeit {subject.ticker} token appeared on the chain"
            yield Incident(at, subject, "look-alike", what, words)
    days = Counter((at - truth.begun) // DAY_S for at, _ in truth.happened("liquidated"))
    if days:
        lender = truth.subject("lend")
        worst = truth.midnight(max(sorted(days), key=lambda day: days[day]))
        what = f"{lender.name} saw {days[(worst - truth.begun) // DAY_S]} positions liquidated"
        words = "liquidated positions collateral fell post-mortem"
        yield Incident(worst, lender, "liquidations-post-mortem", what, words, _NAMED)


SHAPE: Final = Shape(
    "incident-day", "project discovery", "project facts", ("web_search", "url_fetching"), _MOST, (1_500, 25_000),
    "Losses are laid to the wrong day, and the wrong cause.", 3, _asked, _RECIPE,
)  # fmt: skip
