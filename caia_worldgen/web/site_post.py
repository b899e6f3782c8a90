"""One dated post on a project's site: its facts, its text, who wrote it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from caia_worldgen.calendar import DAY_S
from caia_worldgen.web.page import Claim, WebPage
from caia_worldgen.web.project_site import laid_for
from caia_worldgen.web.prose import Written
from caia_worldgen.web.site_fact import Facts, Slot, facts_of, links_of, names_of
from caia_worldgen.web.site_term import terms_of
from caia_worldgen.web.site_text import Voice, dated, slug
from caia_worldgen.web.truth import ROLES, Subject, Truth

_RUMOUR: Final = "rc_rumour"


@dataclass(frozen=True, slots=True)
class Posted:
    """A post and the facts it was written from."""

    page: WebPage
    facts: Facts
    subject: Subject


def post(
    truth: Truth, voice: Voice, subject: Subject, name: str, titles: str, layout: Sequence[str], moment: int,
    kind: str, more: Mapping[str, Slot] | None = None, *, plain: bool = False,
) -> Posted:  # fmt: skip
    """A post of a project's blog. ``name`` is unique within the blog; ``more`` are slots of its own. A ``plain`` one
    knows no figures but those in ``more``. The part ``rumour`` of a layout is told, and claimed, as a rumour."""
    key = f"blog_post/{subject.id}/{name}"
    rng = truth.rng(key)
    if plain:
        facts = Facts({**names_of(truth, subject, moment, rng), **links_of(truth, subject, rng)})
    else:
        facts = facts_of(truth, subject, moment, key)
    known = terms_of(truth, subject.role, moment) if subject.role in ROLES and moment > truth.begun + DAY_S else {}
    slots = {**known, **facts.slots, **(more or {})}
    parts = laid_for([_RUMOUR if part == "rumour" else part for part in layout], subject, truth)
    body, title = voice.lay(parts, slots, rng), voice.say(titles, slots, rng)
    if _RUMOUR in parts:
        body = _with_rumour(body, subject, moment)
    team = truth.cast.teams.get(subject.role) or truth.cast.teams.get(subject.id) or ()
    author = rng.one(team).name if team else ""
    page = dated(f"https://blog.{subject.site}/{slug(name)}", f"blog {kind}", title, body, moment, author)
    return Posted(page, facts, subject)


def _with_rumour(body: Written, subject: Subject, moment: int) -> Written:
    """The text with a claim that is a rumour: the word in which the sentence calls itself one."""
    word = next((one for one in ("unconfirmed", "Unconfirmed", "rumour", "Rumour") if one in body.text), "")
    if not word:
        return body
    claim = Claim("other", f"rumour:{subject.id}", moment, word, word, Fraction(0), "rumour")
    return replace(body, claims=(*body.claims, claim))
