"""Repositories as their projects show them on their own sites: readme, release notes, changelog, how to take part."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_worldgen.market.repository import Repository
from caia_worldgen.market.repository_history import Release
from caia_worldgen.rng import Rng
from caia_worldgen.web import number
from caia_worldgen.web.page import Told, WebPage
from caia_worldgen.web.project_site import laid_for, seen_at
from caia_worldgen.web.prose import Written, join
from caia_worldgen.web.site_fact import Slot, links_of, names_of
from caia_worldgen.web.site_text import Voice, dated, last_moment, slug, undated
from caia_worldgen.web.truth import Subject, Truth

BOOKS: Final = ("repository_page", "project_field")
_MOST_LINES: Final = 9


def pages(truth: Truth) -> Iterator[WebPage]:
    """Every page of every repository, repositories by name."""
    voice = Voice.of(*BOOKS)
    for name in sorted(truth.code.repositories):
        repository = truth.code.repositories[name]
        subject = truth.subjects.get(repository.owner.login)
        if subject is None:
            continue
        yield _readme(truth, voice, subject, repository)
        yield _contributing(truth, voice, subject, repository)
        if repository.past.releases:
            yield _changelog(truth, voice, subject, repository)
        for one in repository.past.releases:
            if one.published_at + 3_600 <= last_moment(truth):
                yield _release(truth, voice, subject, repository, one)


def address(subject: Subject, repository: Repository, *path: str) -> str:
    """Where a page of a repository stands on its project's site."""
    return "/".join((f"https://code.{subject.site}", repository.name, *path))


def _readme(truth: Truth, voice: Voice, subject: Subject, repository: Repository) -> WebPage:
    rng, moment = _drawn(truth, repository, "readme")
    slots = _known(truth, subject, repository, moment, rng)
    layout = ("rm_lead*2", f"in_{repository.kind}*3", "{field}", "rm_build*2", "rm_state*2", "rm_rules*2", "rm_end*3")
    body = voice.lay(laid_for(layout, subject, truth), slots, rng)
    return undated(address(subject, repository), "repository", voice.say("rm_title", slots, rng), body, moment)


def _contributing(truth: Truth, voice: Voice, subject: Subject, repository: Repository) -> WebPage:
    rng, moment = _drawn(truth, repository, "contributing")
    slots = _known(truth, subject, repository, moment, rng)
    layout = ("co_lead*2", "co_rule-7", f"in_{repository.kind}*2", "co_end*3")
    title = voice.say("co_title", slots, rng)
    return undated(address(subject, repository, "contributing"), "repository", title, voice.lay(layout, slots, rng),
                   moment)  # fmt: skip


def _changelog(truth: Truth, voice: Voice, subject: Subject, repository: Repository) -> WebPage:
    rng, moment = _drawn(truth, repository, "changelog")
    slots = _known(truth, subject, repository, moment, rng)
    known = repository.releases(moment)
    lines = []
    for one in known:
        told: dict[str, Slot] = {"tag": one.tag, "day": number.short_day(one.published_at), "first": _first(one)}
        lines.append(voice.say("cl_line", told, rng))
    listed = join([Written(f"- {line.text}", line.claims) for line in lines], "\n")
    around = [voice.lay((part,), {**slots, "count": str(len(known))}, rng) for part in ("cl_lead*2", "cl_end*3")]
    title = voice.say("cl_title", slots, rng)
    return undated(address(subject, repository, "changelog"), "repository", title, join([around[0], listed, around[1]]),
                   moment)  # fmt: skip


def _release(truth: Truth, voice: Voice, subject: Subject, repository: Repository, one: Release) -> WebPage:
    rng = truth.rng(f"repository_page/{repository.full_name}/{one.tag}")
    moment = one.published_at + rng.number(60, 3_000)
    slots = _known(truth, subject, repository, moment, rng)
    slots |= {"tag": one.tag, "who": one.author.name, "commit": one.commit[:8]}
    latest = slots.get("latest")
    if not isinstance(latest, Told) or latest.words != one.tag:  # a candidate, or a fix of something older
        slots.pop("latest", None)
    if one.is_early and isinstance(latest, Told):
        slots["stable"] = latest
    lines = [line[2:] for line in one.notes.splitlines() if line.startswith("* ")]
    prose = [line for line in one.notes.splitlines() if line and not line.startswith(("* ", "#"))]
    noted = "\n".join([*prose, *(f"- {line}" for line in lines[:_MOST_LINES])])
    status = ("rn_early*2", "rn_stable") if one.is_early else ("rn_full*2",)
    layout = ("rn_open", *status, "#rn_list", f"={noted}", "rn_note*3", "rn_end*3")
    url = address(subject, repository, "releases", slug(one.tag))
    title = voice.say("rn_title", slots, rng)
    return dated(url, "repository release", title, voice.lay(layout, slots, rng), moment, one.author.name)


def _first(one: Release) -> str:
    """The first line of a release's notes that says something."""
    lines = [line.removeprefix("* ") for line in one.notes.splitlines() if line and not line.startswith("#")]
    return lines[0] if lines else "maintenance"


def _issues(count: int) -> str:
    return "one open issue" if count == 1 else f"{count or 'no'} open issues"


def _drawn(truth: Truth, repository: Repository, page: str) -> tuple[Rng, int]:
    """A page's chance, and the moment it came to be."""
    rng = truth.rng(f"repository_page/{repository.full_name}/{page}")
    return rng, max(seen_at(truth, rng), repository.created_at + 3_600)


def _known(truth: Truth, subject: Subject, repository: Repository, moment: int, rng: Rng) -> dict[str, Slot]:
    """What can be said of a repository at a moment, and of whose it is."""
    slots = {**names_of(truth, subject, moment, rng), **links_of(truth, subject, rng)}
    slots |= {
        "repo": repository.name, "full": repository.full_name, "licence": repository.licence.upper(),
        "commits": str(len(repository.commits(moment))), "stars": str(repository.stars(moment)),
        "forks": str(repository.forks(moment)), "open_issues": _issues(repository.open_issues(moment)),
        "writers": str(len(repository.contributors(moment))), "pushed": number.day(repository.pushed_at(moment)),
    }  # fmt: skip
    if repository.latest(moment) is not None:
        slots["latest"] = truth.release(repository.full_name, moment)
    return slots
