"""Projects' documentation: overview, tokens and contracts, chapters of their own, and what is left of older versions.

The first edition, under ``/v1/``, was never edited again: it tells the figures of the story's first week as if they
still held, and is found by people weeks later.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from caia_worldgen.calendar import DAY_S
from caia_worldgen.rng import Rng
from caia_worldgen.web import number, place
from caia_worldgen.web.page import WebPage
from caia_worldgen.web.project_site import laid_for, seen_at
from caia_worldgen.web.prose import Written, join, read_phrases
from caia_worldgen.web.site_fact import Slot, facts_of, links_of, names_of, outdated
from caia_worldgen.web.site_term import contracts_of, grants, terms_of
from caia_worldgen.web.site_text import Voice, in_the_day, slug, undated
from caia_worldgen.web.truth import ROLES, Subject, Truth

BOOKS: Final = ("docs_page", "docs_chapter", "project_field")
_CHAPTERS: Final = "docs_chapter"
_GENERAL: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "getting-started": ("gs_title", ("gs_lead*2", "gs_step-6", "?{field}", "gs_end*2")),
    "security": ("se_title", ("se_lead*2", "se_audit*4", "se_bounty*2", "se_trust*3")),
    "glossary": ("gl_title", ("gl_lead", "gl_term-9")),
    "api": ("ap_title", ("ap_lead*2", "ap_call-4", "ap_rule*4")),
    "wallets": ("wa_title", ("wa_lead", "wa_tip-6", "wa_end*2")),
}
"""Chapters that any project has: titles and layout."""
_OUTSIDE: Final = ("getting-started", "security", "glossary")
_OVERVIEW: Final = ("ov_lead*2", "{field}*3", "ov_numbers*3", "ov_read*2")
_OUTER_OVERVIEW: Final = ("ov_lead*2", "{field}*3", "ov_numbers*2", "ov_read")
_CHAPTER: Final = ("?ch_lead", "{chapter}*2", "{chapter}*2", "?ch_note", "{chapter}*2", "ch_close")
_OLD: Final = {"overview": ("old_note", "old_overview*3", "{field}", "old_overview*2", "old_close*2"),
               "tokenomics": ("old_note", "old_tokenomics*3", "old_tokenomics*3", "old_close*2")}  # fmt: skip


def pages(truth: Truth) -> Iterator[WebPage]:
    """Every page of documentation, projects of the story first."""
    voice = Voice.of(*BOOKS)
    own = [name for name in read_phrases(_CHAPTERS) if "/" in name]
    for subject in (truth.subject(role) for role in ROLES):
        yield _laid(truth, voice, subject, "overview", "ov_title", _OVERVIEW)
        yield _tokenomics(truth, voice, subject)
        yield _contracts(truth, voice, subject)
        for chapter, (title, layout) in _GENERAL.items():
            yield _laid(truth, voice, subject, chapter, title, layout)
        for name in own:
            role, _, chapter = name.partition("/")
            if role == subject.role:
                layout = tuple(part.replace("{chapter}", name) for part in _CHAPTER)
                yield _laid(truth, voice, subject, chapter, "ch_title", layout)
        for chapter, layout in _OLD.items():
            yield _first_edition(truth, voice, subject, chapter, layout)
    for subject in truth.outsiders():
        yield _laid(truth, voice, subject, "overview", "ov_title", _OUTER_OVERVIEW)
        yield _tokenomics(truth, voice, subject)
        rng = truth.rng(f"docs_page/{subject.id}")
        for chapter in sorted(rng.some(_OUTSIDE, rng.number(1, len(_OUTSIDE)))):
            title, layout = _GENERAL[chapter]
            yield _laid(truth, voice, subject, chapter, title, layout)


def _laid(truth: Truth, voice: Voice, subject: Subject, chapter: str, title: str, layout: Sequence[str]) -> WebPage:
    rng, moment, slots = _known(truth, subject, chapter)
    words = chapter.replace("-", " ").capitalize()
    body = voice.lay(laid_for(layout, subject, truth), slots, rng)
    return undated(place.docs(subject, chapter), "docs", voice.say(title, {**slots, "chapter": words}, rng), body,
                   moment)  # fmt: skip


def _tokenomics(truth: Truth, voice: Voice, subject: Subject) -> WebPage:
    rng, moment, slots = _known(truth, subject, "tokenomics")
    parts = [voice.lay(("tk_supply*2", "tk_holders*3" if subject.role in ROLES else "tk_use*2"), slots, rng)]
    granted = grants(truth, subject.role)
    if granted:
        lines = [voice.say("tk_grant", {
            **slots, "group": group, "start": number.short_day(start), "cliff": number.short_day(cliff),
            "end": number.short_day(end), "total": number.exact(total).words,
        }, rng) for group, start, cliff, end, total in granted]  # fmt: skip
        listed = join([Written(f"- {one.text}", one.claims) for one in lines], "\n")
        parts += [voice.say("tk_grants", slots, rng), listed]
    parts.append(voice.lay(("tk_market*2", "tk_use*2", "tk_caveat*2"), slots, rng))
    title = voice.say("tk_title", slots, rng)
    return undated(place.docs(subject, "tokenomics"), "docs", title, join(parts), moment)


def _contracts(truth: Truth, voice: Voice, subject: Subject) -> WebPage:
    rng, moment, slots = _known(truth, subject, "contracts")
    lines = [voice.say(name, slots, rng) for name in ("ct_token", "ct_pool") if voice.has(name, slots)]
    lines += [voice.say("ct_more", {**slots, "what": what, "where": where}, rng)
              for what, where in contracts_of(truth, subject.role, moment)]  # fmt: skip
    listed = join([Written(f"- {one.text}", one.claims) for one in lines], "\n")
    around = [voice.lay(part, slots, rng) for part in (("ct_lead*2",), ("ct_check*3", "ct_warn*3"))]
    title = voice.say("ct_title", slots, rng)
    return undated(place.docs(subject, "contracts"), "docs", title, join([around[0], listed, around[1]]), moment)


def _first_edition(truth: Truth, voice: Voice, subject: Subject, chapter: str, layout: Sequence[str]) -> WebPage:
    """What was written in the first week and is found in a later month."""
    key = f"docs_page/{subject.id}/v1/{chapter}"
    rng = truth.rng(key)
    found = in_the_day(rng, truth.midnight(rng.number(truth.days * 2 // 10, truth.days * 7 // 10)))
    written = in_the_day(rng, truth.midnight(rng.number(2, 8)))
    slots: dict[str, Slot] = {**names_of(truth, subject, found, rng), **links_of(truth, subject, rng)}
    now = facts_of(truth, subject, found, key).slots
    slots |= {name: now[name] for name in ("supply", "address", "pool") if name in now}
    slots |= outdated(truth, subject, found, written, key)
    body = voice.lay(laid_for(layout, subject, truth), slots, rng)
    title = voice.say("old_title", {**slots, "chapter": chapter}, rng)
    return undated(place.docs(subject, f"v1/{slug(chapter)}"), "docs v1", title, body, found)


def _known(truth: Truth, subject: Subject, chapter: str) -> tuple[Rng, int, dict[str, Slot]]:
    """A page's chance, the moment it came to be, and what is known then."""
    key = f"docs_page/{subject.id}/{chapter}"
    rng = truth.rng(key)
    moment = max(seen_at(truth, rng), subject.listed_at + 3_600)
    if chapter == "airdrop":  # there is a chapter on it from the day after its opening
        moment = max([moment, *(at + DAY_S for at, _ in truth.happened("opened airdrop"))])
    slots = dict(facts_of(truth, subject, moment, key).slots)
    if subject.role in ROLES:
        slots |= terms_of(truth, subject.role, moment)
    return rng, moment, slots
