"""Questions of what projects announced and posted, and what nobody did."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Final

from caia_replay.core.task import AnswerSpec
from caia_worldgen.calendar import DAY_S
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import DAY, OR_NONE, OR_NONE_CHINESE, english, iso, one_day, pages_of
from caia_worldgen.tasks.shape import Asked, Story, gold, number, step
from caia_worldgen.web.site_text import slug
from caia_worldgen.web.truth import ROLES, Subject, Truth


def owners(truth: Truth) -> Mapping[str, Subject]:
    """The projects that have an account of their own, by its handle."""
    return {one.handle: truth.subjects[one.of] for one in truth.cast.accounts
            if one.manner == "project" and one.of in truth.subjects}  # fmt: skip


_ANNOUNCEMENT_DAY_TOLD: Final = {
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
_INCIDENT_DAY_TOLD: Final = "match($2.published, '[0-9]{4}-[0-9]{2}-[0-9]{2}')"
_NAMED: Final = f"match($2.text, 'On ({DAY})')"
_ROUND, _TEST, _BURN, _NEXT = _WORDS = (
    "No second round is planned", "No other test is planned this year", "Nothing further is planned",
    "Next one when it is ready",
)  # fmt: skip
_SHORT: Final = re.compile("[0-9] ?(?:million|billion|[KMB])(?= [$]| locked| as of)")
"""A figure with its factor as a letter or word: without the factor it would be another one."""
_READ: Final = (
    "= join('', list('import re; from fractions import Fraction as F; said = re.search(r\"([0-9][0-9,.]*[0-9]) ?"
    '(million|billion|[KMB])?(?= [$]| locked| as of)", """\', $1.results.0.text, \'"""); '
    'print(int(F(said[1].replace(",", "")) * {"K": 10**3, "M": 10**6, "million": 10**6, "B": 10**9, '
    '"billion": 10**9}.get(said[2], 1)))\'))'
)


def announcement_day(story: Story, rng: Rng) -> Iterator[Asked]:
    """The day on which a project's own account first said something, among later posts about the same."""
    stage, projects = story.scene.main, owners(story.truth)
    motions = {str(deed.figure("id")): deed.subject for _, deed in story.truth.happened("proposed")}
    known = [made for made in story.web.posts if made.kind in _ANNOUNCEMENT_DAY_TOLD and made.post.author in projects]
    for made in rng.some(known, len(known)):
        post, subject = made.post, projects[made.post.author]
        said = next((claim for claim in made.claims if claim.kind in ("other", "votes")), None)
        height = story.height_after(stage, post.created, rng)
        if height is None or said is None or "," not in said.words:
            continue
        amount = said.words
        slots = {"amount": amount, "ticker": subject.ticker, "motion": motions.get(said.subject, "")}
        english, chinese = (words.format(**slots) for words in _ANNOUNCEMENT_DAY_TOLD[made.kind])
        question = f"On which day (UTC) did the official account x.com/{post.author} first post {english}? {OR_NONE}"
        asked = f"官方账号 x.com/{post.author} 最早在哪一天（UTC）发帖说{chinese}？{OR_NONE_CHINESE}"
        chain = gold(
            "match(sort($1.results[*].time)[0], '[0-9]{4}-[0-9]{2}-[0-9]{2}')",
            step("twitter_search", query=f'"{amount}" from:{post.author}', order="newest", limit=50),
        )
        claim = f"@{post.author} first posted about the {amount} on {{planted}}."
        yield Asked(question, stage, height, AnswerSpec("date", (iso(post.created),)), chain, subject.id, claim, asked)


@dataclass(frozen=True, slots=True)
class Incident:
    """What happened at ``moment`` to whom, where it is told (a name in the project's blog), and words to find it by."""

    moment: int
    subject: Subject
    post: str
    what: str
    query: str
    reading: str = _INCIDENT_DAY_TOLD


def incident_day(story: Story, rng: Rng) -> Iterator[Asked]:
    """The day on which something went wrong at a project, by its own account of it."""
    stage, pages = story.scene.main, pages_of(story)
    known = list(_incidents(story.truth))
    for one in rng.some(known, len(known)):
        host = f"blog.{one.subject.site}"
        page = pages.get(f"https://{host}/{one.post}")
        if page is None or page.published is None:
            continue
        if one.post == "look-alike" and " appeared on " not in page.text:
            continue  # It tells no day, only that there is a copy.
        if one.reading == _INCIDENT_DAY_TOLD and not one_day(page.published, one.moment):
            continue
        height = story.height_after(stage, page.published, rng)
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


def not_announced(story: Story, rng: Rng) -> Iterator[Asked]:
    """A day that is asked for and that nobody has set: the project itself says that nothing is planned."""
    answer = "no day has been announced"
    stage, pages = story.scene.main, pages_of(story)
    by_kind = [[one for one in _denials(story) if one.words == words] for words in rng.some(_WORDS, len(_WORDS))]
    for one in [rng.one(denials) for denials in by_kind if denials]:
        page = pages[one.url]
        since = page.published or 0
        heights = [at for at in story.heights[stage.name] if since <= stage.calendar.times[at] < one.until]
        if not heights:
            continue
        question = f"On which day will {one.event} take place? {OR_NONE}"
        ahead = story.truth.midnight(story.scene.scale.days) + rng.number(3, 20) * DAY_S
        planted = tuple(english(ahead + turn * 9 * DAY_S) for turn in range(3))
        chain = gold(
            f"choose(match($2.text, '{one.words}') == '{one.words}', '{answer}', 'announced')",
            step("web_search", query=one.query, limit=3),
            step("url_fetching", url="$1.results.0.url"),
        )
        yield Asked(question, stage, rng.one(heights), AnswerSpec("date", (answer,)), chain,
                    one.subject.id, f"On {{planted}} {one.event} will take place.", None, planted)  # fmt: skip


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


def posted_figure(story: Story, rng: Rng) -> Iterator[Asked]:
    """A figure that a project's own account posted on a day: what it said, and not what the chain or an index says."""
    # How many posts of one account are asked about.
    of_one = 2
    stage, projects = story.scene.main, owners(story.truth)
    posted = Counter((made.post.author, made.post.created // DAY_S) for made in story.web.posts)
    known = [made for made in story.web.posts if made.kind in ("weekly_tvl", "weekly_stake")]
    asked: Counter[str] = Counter()
    for made in rng.some(known, len(known)):
        post = made.post
        figure = next((claim for claim in made.claims if claim.kind in ("tvl", "staked")), None)
        height = story.height_after(stage, post.created, rng)
        subject = projects.get(post.author)
        if figure is None or not isinstance(figure.value, Fraction) or height is None or subject is None:
            continue
        if posted[post.author, post.created // DAY_S] > 1 or figure.value.denominator > 1:
            continue
        if asked[post.author] == of_one or not _SHORT.search(post.text):
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
