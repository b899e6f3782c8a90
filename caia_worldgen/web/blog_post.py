"""Projects' blogs: day one, money raised, monthly and weekly notes, releases, people, unlocks, and corrections.

What the story makes happen (burns, votes, airdrop, staking, a crash) is told by ``blog_event``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from caia_worldgen.calendar import DAY_S
from caia_worldgen.market.repository import Repository
from caia_worldgen.market.repository_history import Release
from caia_worldgen.web import number
from caia_worldgen.web.blog_event import events
from caia_worldgen.web.page import Claim, Told, WebPage
from caia_worldgen.web.place import link
from caia_worldgen.web.site_fact import Slot, figures_of
from caia_worldgen.web.site_post import Posted, post
from caia_worldgen.web.site_term import grants
from caia_worldgen.web.site_text import Voice, in_the_day, last_moment
from caia_worldgen.web.truth import ROLES, Subject, Truth

BOOKS: Final = ("blog_post", "project_field")
_WEEK_S: Final = 7 * DAY_S
_COUNTED: Final[Mapping[str, tuple[str, str]]] = {
    "exchange": ("swapped", "swaps"), "lend": ("borrowed", "new loans"), "bridge": ("locked", "crossings"),
    "feeds": ("posted price", "postings"), "storage": ("staked", "deposits to the pool"),
}  # fmt: skip
"""Who writes weekly notes: the deeds they count on the main chain, and what they call them."""
_RUMOUR_PERCENT: Final = 45
_NOTED_PERCENT: Final = 80
"""Of releases, how many get a post."""


def pages(truth: Truth) -> Iterator[WebPage]:
    """Every post of every blog, with a correction after each that told a figure wrongly."""
    voice = Voice.of(*BOOKS)
    for posted in _posts(truth, voice):
        yield posted.page
        if posted.facts.right is not None and any(claim.status == "mistaken" for claim in posted.page.claims):
            correction = _correction(truth, voice, posted)
            if correction is not None:
                yield correction


def _posts(truth: Truth, voice: Voice) -> Iterator[Posted]:
    story = [truth.subject(role) for role in ROLES]
    for subject in story:
        yield _launch(truth, voice, subject)
    for subject in (*story, *truth.outsiders()):
        yield from _funding(truth, voice, subject)
        yield from _recaps(truth, voice, subject)
        yield from _people(truth, voice, subject)
        yield from _releases(truth, voice, subject)
    for role in _COUNTED:
        yield from _weeks(truth, voice, truth.subject(role))
    for subject in story:
        yield from _unlocks(truth, voice, subject)
    yield from events(truth, voice)


def _launch(truth: Truth, voice: Voice, subject: Subject) -> Posted:
    moment = in_the_day(truth.rng(f"blog_post/{subject.id}/launch day"), truth.midnight(1))
    layout = ("launch_body_lead", "launch_body*4", "launch_body*4")
    return post(truth, voice, subject, "live", "launch_title", layout, moment, "launch")


def _funding(truth: Truth, voice: Voice, subject: Subject) -> Iterator[Posted]:
    for one in truth.rounds:
        if one.project == subject.id:
            layout = ("fund_open", "fund_more", "fund_use*3", "fund_use*3", "fund_close*2")
            moment = one.closed_at + 3_600
            yield post(truth, voice, subject, f"funding-{one.name}", "fund_title", layout, moment, "funding")


def _recaps(truth: Truth, voice: Voice, subject: Subject) -> Iterator[Posted]:
    """A report in the first days of each month; outsiders skip about half of them."""
    rng = truth.rng(f"blog_post/{subject.id}/recaps")
    for day in range(20, truth.days - 4):
        month = number.month(truth.midnight(day - 1))
        if month == number.month(truth.midnight(day)) or (subject.role not in ROLES and rng.happens(45)):
            continue
        moment = in_the_day(rng, truth.midnight(day + rng.number(0, 3)))
        if moment < subject.listed_at + DAY_S:
            continue
        layout = ["rc_open", "rc_market*2", "rc_build*2", "rc_chain*2", "?rc_chain", "rc_look", "rc_close"]
        if rng.happens(50):
            layout[1], layout[2] = layout[2], layout[1]
        if rng.happens(_RUMOUR_PERCENT):
            layout.insert(rng.number(2, 5), "rumour")
        more: dict[str, Slot] = {"month": month, **_before(truth, subject, moment, 28 * DAY_S, f"{day}")}
        yield post(truth, voice, subject, month, "rc_title", layout, moment, "recap", more)


def _weeks(truth: Truth, voice: Voice, subject: Subject) -> Iterator[Posted]:
    verb, words = _COUNTED[subject.role]
    own = {"storage": "storage staking pool"}.get(subject.role)
    moments = [at for at, _ in truth.happened(verb, own)]
    rng = truth.rng(f"blog_post/{subject.id}/weeks")
    for week in range(1, truth.days // 7):
        moment = in_the_day(rng, truth.midnight(week * 7 + rng.number(0, 1)))
        last = sum(moment - _WEEK_S < at <= moment for at in moments)
        before = sum(moment - 2 * _WEEK_S < at <= moment - _WEEK_S for at in moments)
        more: dict[str, Slot] = {
            "week": str(week), "deeds": str(last), "deed": words, "deed_up": words[:1].upper() + words[1:],
            **({"deeds_before": str(before)} if week > 1 else {}),
            **_before(truth, subject, moment, _WEEK_S, f"week {week}"),
        }  # fmt: skip
        layout = ["wk_open", "wk_figures*3", "wk_deeds", "wk_work*2", "?{field}", "wk_figures*2", "wk_work", "wk_close"]
        turn = rng.number(1, 3)
        layout[1:4] = [*layout[turn:4], *layout[1:turn]]
        yield post(truth, voice, subject, f"week-{week}", "wk_title", layout, moment, "weekly", more)


def _people(truth: Truth, voice: Voice, subject: Subject) -> Iterator[Posted]:
    members = truth.cast.teams.get(subject.role) or truth.cast.teams.get(subject.id) or ()
    rng = truth.rng(f"blog_post/{subject.id}/people")
    for one in rng.some(members, min(len(members), 2 if subject.role in ROLES else 1)):
        moment = max(in_the_day(rng, truth.midnight(rng.number(3, truth.days - 5))), subject.listed_at + DAY_S)
        if moment > last_moment(truth):
            continue
        more: dict[str, Slot] = {"who": one.name, "job": one.title, "duty": one.field, "count": str(rng.number(3, 40))}
        layout = ("meet_open", "meet_qa", "meet_qa", "meet_qa", "meet_qa", "?meet_qa", "meet_close*2")
        yield post(truth, voice, subject, f"meet-{one.name}", "meet_title", layout, moment, "people", more)


def _releases(truth: Truth, voice: Voice, subject: Subject) -> Iterator[Posted]:
    """A post for most full releases of the story's days."""
    for name in sorted(truth.code.repositories):
        repository = truth.code.repositories[name]
        if repository.owner.login != subject.id:
            continue
        rng = truth.rng(f"blog_post/{name}/releases")
        for one in repository.past.releases:
            moment = one.published_at + rng.number(900, 5 * 3_600)
            if one.is_early or one.published_at < truth.begun or moment > last_moment(truth):
                continue
            if rng.happens(_NOTED_PERCENT):
                yield _release(truth, voice, subject, repository, one, moment)


def _release(truth: Truth, voice: Voice, subject: Subject, repository: Repository, one: Release, moment: int) -> Posted:
    latest = truth.release(repository.full_name, moment)
    lines = [line[2:] for line in one.notes.splitlines() if line.startswith("* ")]
    more: dict[str, Slot] = {
        "tag": latest if latest.words == one.tag else one.tag, "repo": repository.name,
        "date": number.day(one.published_at), "who": one.author.name,
    }  # fmt: skip
    listed = "\n".join(f"- {line}" for line in lines[:6]) if lines else one.notes
    layout = ("rl_open", *(("rl_list",) if lines else ()), f"={listed}", "rl_why*2", "rl_how*2", "rl_close*2")
    name = f"{repository.name}-{one.tag}"
    return post(truth, voice, subject, name, "rl_title", layout, moment, "release", more)


def _unlocks(truth: Truth, voice: Voice, subject: Subject) -> Iterator[Posted]:
    """Some days before a cliff that lies within the story, holders are told."""
    rng = truth.rng(f"blog_post/{subject.id}/unlocks")
    for group, start, cliff, end, total in grants(truth, subject.role):
        moment = in_the_day(rng, cliff - rng.number(4, 9) * DAY_S)
        if truth.midnight(2) < moment < last_moment(truth):
            more: dict[str, Slot] = {
                "group": group, "start": number.day(start), "cliff": number.day(cliff), "end": number.day(end),
                "total": number.exact(total).words,
            }  # fmt: skip
            layout = ("un_open", "un_body*3", "un_body*3", "un_close*3")
            yield post(truth, voice, subject, f"{group}-cliff", "un_title", layout, moment, "unlock", more)


def _before(truth: Truth, subject: Subject, moment: int, span_s: int, key: str) -> dict[str, Slot]:
    """Price, value and what was locked so many seconds earlier, if known."""
    if moment - span_s < truth.midnight(1):
        return {}
    then = figures_of(truth, subject, moment - span_s, f"before/{subject.id}/{key}")
    return {f"{name}_before": then[name] for name in ("price", "cap", "tvl") if name in then}


def _correction(truth: Truth, voice: Voice, posted: Posted) -> WebPage | None:
    """A note some days later that names the erring post, what it said and what is right."""
    erring, right = posted.page, posted.facts.right
    assert right is not None and erring.page.published is not None
    rng = truth.rng(f"blog_post/correction/{erring.page.url}")
    moment = in_the_day(rng, erring.page.published + rng.number(2, 6) * DAY_S)
    if moment > last_moment(truth):
        return None
    wrong = next(claim for claim in erring.claims if claim.status == "mistaken")
    more: dict[str, Slot] = {
        "wrong": Told(wrong.words, _quoted(wrong)), "right": right,
        "wrong_post": link(erring.page.title, erring.page.url), "date": number.day(moment),
    }  # fmt: skip
    layout: Sequence[str] = ("fix_body", "fix_more*3", "rc_close")
    name = f"correction-{erring.page.url.rpartition('/')[2]}"
    return post(truth, voice, posted.subject, name, "fix_title", layout, moment, "correction", more, plain=True).page


def _quoted(wrong: Claim) -> Claim:
    """The wrong figure, quoted as wrong: a statement about a post, which is true."""
    return Claim("other", f"quoted:{wrong.subject}", wrong.moment, wrong.words, wrong.words, wrong.step * 0)
