"""Projects' own sites: front page, people, backers, plans, questions, press kit, jobs; and the one page of a meme."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from caia_worldgen.rng import Rng
from caia_worldgen.web import number, place
from caia_worldgen.web.page import Claim, Told, WebPage
from caia_worldgen.web.prose import Written, join
from caia_worldgen.web.site_fact import Slot, facts_of, names_of, other
from caia_worldgen.web.site_term import terms_of
from caia_worldgen.web.site_text import Voice, in_the_day, undated
from caia_worldgen.web.truth import ROLES, Subject, Truth

BOOKS: Final = ("project_site", "project_field")
_LAYOUTS: Final[dict[str, tuple[str, ...]]] = {
    "home": ("home_lead", "{field}*2", "home_figures*3", "{field}", "home_where*2", "?home_close*2"),
    "backers": ("backers_lead", "backers_others", "backers_terms*3", "backers_use*3", "backers_close*2"),
    "roadmap": ("plan_lead*2", "#plan_done_head", "plan_done-5", "#plan_next_head", "plan_next-5", "plan_close*2"),
    "faq": ("faq_lead", "faq_pair", "faq_pair", "faq_pair", "faq_pair*2", "{field}", "faq_pair", "faq_pair*2",
            "faq_close"),
    "press": ("press_lead", "press_boiler", "press_figures*2", "press_rules-4", "?{field}", "press_close*2"),
    "jobs": ("jobs_lead*2", "jobs_open-4", "?{field}", "jobs_close*2"),
}  # fmt: skip
_TITLES: Final = {"home": "home_title", "backers": "backers_title", "roadmap": "plan_title", "faq": "faq_title",
                  "press": "press_title", "jobs": "jobs_title"}  # fmt: skip
_SETTLED: Final = 8
"""Front pages are there once an eighth of the story's days is over."""
_PATHS: Final = {"backers": "investors", "roadmap": "roadmap", "press": "press", "jobs": "careers"}


def pages(truth: Truth) -> Iterator[WebPage]:
    """Every page of every project's own site, projects of the story first."""
    voice = Voice.of(*BOOKS)
    story = [truth.subject(role) for role in ROLES]
    for subject in (*story, *truth.outsiders()):
        told = subject.role in ROLES
        backed = any(one.project == subject.id for one in truth.rounds)
        yield _page(truth, voice, subject, "home")
        if told or subject.id in truth.cast.teams:
            yield _team(truth, voice, subject)
        for kind in ("backers", "roadmap", "press", "jobs", "faq"):
            if (backed or kind != "backers") and (told or kind != "faq"):
                yield _page(truth, voice, subject, kind)
    for subject in truth.subjects.values():
        if subject.role not in ROLES and subject.role in truth.scene.projects:
            yield _meme(truth, voice, subject)


def field_of(subject: Subject, truth: Truth) -> str:
    """The passage that says what a project does."""
    return f"field_{subject.role}" if subject.role in ROLES else (
        "field_" + truth.coin(subject.id).category.replace("-", "_")
    )  # fmt: skip


def laid_for(layout: Sequence[str], subject: Subject, truth: Truth) -> list[str]:
    """A layout with the passage of the project's field put in."""
    return [part.replace("{field}", field_of(subject, truth)) for part in layout]


def seen_at(truth: Truth, rng: Rng) -> int:
    """When an undated page came to be: some day of the story, more often an early one."""
    last = truth.days * (38 if rng.happens(55) else 88) // 100
    return in_the_day(rng, truth.midnight(rng.number(2, max(2, last))))


def _page(truth: Truth, voice: Voice, subject: Subject, kind: str) -> WebPage:
    key = f"project_site/{subject.id}/{kind}"
    rng = truth.rng(key)
    seen = seen_at(truth, rng)
    if kind == "home":  # it is there before anybody links to a page behind it
        seen = min(seen, in_the_day(rng, truth.midnight(max(2, truth.days // _SETTLED))))
    moment = max(seen, subject.listed_at + 3_600)
    slots = {**facts_of(truth, subject, moment, key).slots, **_own(truth, subject, moment)}
    url = {"home": place.home(subject), "faq": place.docs(subject, "faq")}.get(kind)
    body = voice.lay(laid_for(_LAYOUTS[kind], subject, truth), slots, rng)
    title = voice.say(_TITLES[kind], slots, rng)
    return undated(url or place.home(subject) + _PATHS[kind], f"site {kind}", title, body, moment)


def _team(truth: Truth, voice: Voice, subject: Subject) -> WebPage:
    """The members come in the order of their titles; how each is introduced differs."""
    key = f"project_site/{subject.id}/team"
    rng = truth.rng(key)
    moment = max(seen_at(truth, rng), subject.listed_at + 3_600)
    slots = {**facts_of(truth, subject, moment, key).slots, **_own(truth, subject, moment)}
    members = truth.cast.teams.get(subject.role) or truth.cast.teams[subject.id]
    lines = [voice.say("member", {**slots, "who": one.name, "job": one.title, "duty": one.field,
                                  "duty_up": one.field[:1].upper() + one.field[1:]}, rng)
             for one in members]  # fmt: skip
    around = [voice.lay(part, slots, rng) for part in (("team_lead*2",), ("team_money*2", "team_close*2"))]
    body = join([around[0], join(lines, "\n\n" if rng.happens(60) else "\n"), around[1]])
    return undated(place.team(subject), "site team", voice.say("team_title", slots, rng), body, moment)


def _meme(truth: Truth, voice: Voice, subject: Subject) -> WebPage:
    """A token of the launchpad or of its own pool has one page, made when it was listed."""
    key = f"project_site/{subject.id}/meme"
    rng = truth.rng(key)
    moment = min(in_the_day(rng, subject.listed_at + 86_400), truth.midnight(truth.days) - 3_600)
    made = truth.scene.main.contracts[f"{subject.role} token"].address
    slots: dict[str, Slot] = {
        **names_of(truth, subject, moment, rng), "listed": number.day(subject.listed_at),
        "supply": truth.supply(subject.id, moment),
        "token": Told(made, _address(subject.id, truth.begun, made)),
        "pair": truth.subject("native").ticker if subject.role != "tax" else truth.subject("dollar").ticker,
    }  # fmt: skip
    body = voice.lay(("meme_field*2", "meme_field*2", "?meme_field"), slots, rng)
    return undated(place.home(subject), "site home", Written(f"{subject.name} ({subject.ticker})", ()), body, moment)


def _own(truth: Truth, subject: Subject, moment: int) -> dict[str, Slot]:
    return terms_of(truth, subject.role, moment) if subject.role in ROLES else {}


def _address(id: str, moment: int, made: str) -> Claim:
    claim = other(made, id, moment).claim
    assert claim is not None
    return Claim("address", id, moment, made, made, claim.step)
