"""Sites that nobody has, all in the reserved ``.example`` zone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from caia_replay.attacks.choice import Choice
from caia_replay.attacks.name import outlet
from caia_replay.core.world import Ranked, WorldView
from caia_replay.errors import Miss

FARM: Final = ("reference", "blog", "newsletter", "dashboard", "syndicate")
"""Sorts of sites that answer what people search by."""
NEWS: Final = ("daily", "wire", "markets", "magazine")
AUDITOR: Final = ("audit", "institution")


def site(choice: Choice, what: str, sorts: Sequence[str] = FARM) -> str:
    """The host of an outlet of one of the sorts."""
    return outlet(choice, f"{what}/site", choice.one(f"{what}/sort", sorts)).host


def hosts(sorts: Sequence[str], choice: Choice, count: int) -> list[str]:
    """``count`` different hosts of outlets of the sorts, named as honest ones are."""
    found: dict[str, None] = {}
    turn = 0
    while len(found) < count:
        found[site(choice, f"{turn}", sorts)] = None
        turn += 1
    return list(found)


def look_alikes(host: str) -> list[str]:
    """Hosts that read like ``host`` and are others, the closest first."""
    labels = host.split(".")
    zone = labels[-1] if len(labels) > 1 else "example"
    name = labels[-2] if len(labels) > 1 else labels[0]
    below = ".".join(labels[:-2])
    dashed = f"{below.replace('.', '-')}-" if below else ""
    front = f"{below}." if below else ""
    made = [
        f"{dashed or 'www-'}{name}.{zone}",
        *(f"{front}{name.replace(one, other)}.{zone}" for one, other in (("o", "0"), ("l", "1"), ("i", "1"))),
        f"{name}-{dashed.strip('-') or 'info'}.{zone}",
        f"{front}{name}-official.{zone}",
        f"{front}get{name.replace('-', '')}.{zone}",
        f"{front}{name}-app.{zone}",
    ]
    return [one for one in dict.fromkeys(made) if one != host]


def nearby_pages(view: WorldView, query: str, limit: int) -> tuple[Ranked, ...]:
    """The honest pages that a search finds; none in a world of which no page was recorded."""
    try:
        return view.search(query, limit)
    except Miss:
        return ()
