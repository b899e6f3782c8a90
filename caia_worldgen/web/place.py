"""Where pages stand that others link to: the addresses writers agree on without knowing each other.

A link is Markdown, ``[words](address)``, and goes into a sentence as a slot. Who links to one of these places can rely
on it; what else a writer publishes is linked to by that writer alone.
"""

from __future__ import annotations

from caia_worldgen.web.truth import Subject, Truth


def link(words: str, address: str) -> str:
    """Markdown."""
    return f"[{words}]({address})"


def home(subject: Subject) -> str:
    """A project's front page; every coin with a project or of an outsider has one."""
    return f"https://{subject.site}/"


def docs(subject: Subject, chapter: str) -> str:
    """Of the story's projects: overview, tokenomics, contracts, faq. Of outsiders: overview, tokenomics."""
    return f"https://docs.{subject.site}/{chapter}"


def team(subject: Subject) -> str:
    """Who works on it; every subject with a team has one."""
    return f"https://{subject.site}/team"


def forum(subject: Subject, topic: str = "") -> str:
    """A governance forum's front page, or one of its topics; the story's ten projects have one."""
    return f"https://forum.{subject.site}/" + (f"t/{topic}" if topic else "")


def token_page(truth: Truth, address: str) -> str:
    """The explorer's page of a token contract; every token of the story's projects has one."""
    return truth.cast.explorer.url("token", address)


def board(truth: Truth, slug: str) -> str:
    """The first dashboard's page of a protocol; every protocol has one."""
    return truth.cast.screens[0].url("protocol", slug)


def notice(truth: Truth, slug: str) -> str:
    """A notice of the custodial venue."""
    return truth.cast.venue.url("notices", slug)
