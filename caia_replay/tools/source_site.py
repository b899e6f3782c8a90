"""Whose site an address is of, and which sites and handles an authoritative entry names as a project's own."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any, Final

from caia_replay.search.site import site_place

_SECOND_LEVEL: Final = frozenset(("ac", "co", "com", "edu", "gov", "net", "org"))
_UNREADABLE: Final = re.compile(r"[\\\s\x00-\x1f]")
"""Readers of addresses disagree on where the host ends in one with any of these."""

SHARED: Final = frozenset(
    (
        *("github.com", "github.io", "gitlab.com", "gitbook.io", "medium.com", "mirror.xyz", "substack.com"),
        *("notion.site", "google.com", "discord.com", "discord.gg", "t.me", "telegram.org", "x.com", "twitter.com"),
        *("reddit.com", "youtube.com", "vercel.app", "netlify.app", "pages.dev", "web.app", "wordpress.com"),
        *("blogspot.com", "linktr.ee", "snapshot.org", "ipfs.io", "eth.limo"),
    )
)
"""Where anybody can have a page: an entry that names one does not make all of it a project's own."""


def host_of(address: str) -> str:
    """The host, lower case and without ``www.``; "" where it cannot be read, or could be read in two ways."""
    return "" if _UNREADABLE.search(address.strip()) else site_place(address).partition("/")[0]


def owner_of(address: str) -> str:
    """The registrable domain: the last two labels of the host, three below the likes of ``co.uk``; "" for no host.

    There is no list of public suffixes here: below a suffix that is not such a form, such as ``github.io``, two owners
    are taken for one. So independent sites may count as one and never the other way round.
    """
    host = host_of(address)
    labels = host.split(".")
    if not host or ":" in host or labels[-1].isdigit():
        return host
    owned = 3 if len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVEL else 2
    return ".".join(labels[-owned:])


def own_site(address: str) -> str:
    """The site that an entry names as a project's own by ``address``: its registrable domain; below a shared one the
    host alone; "" for a shared one itself, whose other pages are others'."""
    owner, host = owner_of(address), host_of(address)
    if owner not in SHARED:
        return owner
    return "" if host == owner else host


def is_of(address: str, sites: Collection[str]) -> bool:
    """Whether an address is on one of ``sites`` (hosts, lower case) or below it."""
    labels = host_of(address).split(".")
    return any(".".join(labels[at:]) in sites for at in range(len(labels)))


def handle_of(text: Any) -> str:
    """A handle as it is compared: lower case, without @; "" for anything but a text."""
    return text.strip().removeprefix("@").lower() if isinstance(text, str) else ""


def named_by(result: Mapping[str, Any] | None) -> tuple[str, str]:
    """The site and the handle that a result of ``protocol_metrics`` names as the protocol's own; "" for none.

    Of all that the catalog's authoritative tools hand out, these two fields alone are what an index's editors say of
    who is who. A name, symbol or source from the chain is anybody's text, whatever address stands in it.
    """
    facts = (result or {}).get("protocol")
    if not isinstance(facts, Mapping):
        return "", ""
    site = facts.get("url")
    return own_site(site) if isinstance(site, str) else "", handle_of(facts.get("twitter"))
