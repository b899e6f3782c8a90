"""Campaigns: named sets of attacks with a dose, planned whole into one overlay."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from caia_replay.attacks.seo_page import SeoPage
from caia_replay.canonical import digest
from caia_replay.core.attack import Attack, Target
from caia_replay.core.world import Overlay, PlantedBody, PlantedPage, PlantedPost, WorldView
from caia_replay.errors import BadInput, nearest

FOLDER = Path(__file__).parent / "campaigns"
DEFAULT = "seo-heavy"
MOST_PAGES = 1000
"""The highest dose per target; more would be a different web, not an attack on this one."""

_LATER_FIELDS = frozenset({"author", "language", "first_seen"})

FAMILIES: Mapping[str, Callable[[int], Attack]] = MappingProxyType({SeoPage.name: SeoPage})
"""Attack families by name, made with a dose: pages per target."""


@dataclass(frozen=True, slots=True)
class Campaign:
    """``families`` are applied in this order; ``dose`` is pages per target and family."""

    name: str
    description: str
    families: tuple[str, ...]
    dose: int


def load_campaign(name: str = DEFAULT, folder: Path = FOLDER) -> Campaign:
    """The campaign in ``<name>.toml``. Raises ``BadInput`` for an unknown name or a malformed file."""
    known = campaign_names(folder)
    if name not in known:
        choices = " | ".join(known)
        raise BadInput(
            f"no campaign {name!r}",
            where="campaign",
            nearest=nearest(name, known),
            next_command=f"--campaign {choices}",
        )
    path = folder / f"{name}.toml"
    try:
        table = tomllib.loads(path.read_bytes().decode("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as fault:
        raise BadInput(f"campaign does not read: {fault}", where=path.name) from fault
    return _campaign(name, table, path.name)


def campaign_names(folder: Path = FOLDER) -> tuple[str, ...]:
    """The campaigns there are, sorted."""
    return tuple(sorted(path.stem for path in folder.glob("*.toml")))


def plan_campaign(campaign: Campaign, view: WorldView, targets: Iterable[Target]) -> Overlay:
    """Everything the campaign adds to the world of ``view``, sorted by page url, whatever the targets' order.

    Raises ``BadInput`` when two targets plant the same value (an adopted lie could not be told apart) or a page
    would stand where another one does.
    """
    ordered = sorted(targets, key=lambda target: target.task)
    attacks = [FAMILIES[family](campaign.dose) for family in campaign.families]
    return _overlay(campaign.name, (page for attack in attacks for one in ordered for page in attack.plan(view, one)))


def join(campaign: Campaign, overlays: Iterable[Overlay]) -> Overlay:
    """One overlay of several planned at different anchors: a suite's campaign is applied whole. Raises ``BadInput``."""
    parts = list(overlays)
    return _overlay(
        campaign.name,
        (page for overlay in parts for page in overlay.pages),
        (post for overlay in parts for post in overlay.posts),
        (body for overlay in parts for body in overlay.bodies),
    )


def _overlay(
    name: str,
    planned: Iterable[PlantedPage],
    written: Iterable[PlantedPost] = (),
    answered: Iterable[PlantedBody] = (),
) -> Overlay:
    pages = tuple(sorted(planned, key=lambda found: found.page.url))
    posts = tuple(sorted(written, key=lambda found: (found.post.created, found.post.id)))
    bodies = tuple(sorted(answered, key=lambda found: (found.url, found.method, found.body)))
    owners: dict[str, str] = {}
    places: list[tuple[PlantedPage | PlantedPost | PlantedBody, str]] = [
        *((found, f"pages at {found.page.url}") for found in pages),
        *((found, f"posts of id {found.post.id}") for found in posts),
        *((found, f"answers to {found.method} {found.url} {found.body}") for found in bodies),
    ]
    taken: set[str] = set()
    for planted, place in places:
        if owners.setdefault(planted.planted, planted.task) != planted.task:
            tasks = f"{owners[planted.planted]} and {planted.task}"
            raise BadInput(f"tasks {tasks} plant the same value {planted.planted!r}", where=f"campaign {name}")
        if place in taken:
            raise BadInput(f"two planted {place:.300}", where=f"campaign {name}")
        taken.add(place)
    told: dict[str, Any] = {"campaign": name, "pages": [_told(found) for found in pages]}
    told |= {kind: [asdict(one) for one in found] for kind, found in (("posts", posts), ("bodies", bodies)) if found}
    return Overlay(name, pages, digest(told), posts, bodies)


def _told(planted: PlantedPage) -> dict[str, Any]:
    """A page for the digest: what is not known of it is left out, so that a field that pages get later changes none."""
    told = asdict(planted)
    told["page"] = {key: value for key, value in told["page"].items() if key not in _LATER_FIELDS or value}
    return told


def _campaign(name: str, table: Mapping[str, Any], where: str) -> Campaign:
    wanted = {"description", "families", "dose"}
    if table.keys() != wanted:
        odd = sorted(table.keys() ^ wanted)
        raise BadInput(f"keys must be {sorted(wanted)}; odd or missing: {odd}", where=where)
    description, families, dose = table["description"], table["families"], table["dose"]
    if not isinstance(description, str) or not isinstance(families, list) or not families:
        raise BadInput("description must be a text and families a list with at least one name", where=where)
    for family in families:
        if not isinstance(family, str) or family not in FAMILIES:
            raise BadInput(f"no attack family {family!r}", where=where, nearest=nearest(str(family), FAMILIES))
    if len(set(families)) != len(families):
        raise BadInput("a family is listed twice; raise the dose instead", where=where)
    if not isinstance(dose, int) or isinstance(dose, bool) or not 1 <= dose <= MOST_PAGES:
        raise BadInput(f"dose must be a whole number from 1 to {MOST_PAGES}", where=where)
    return Campaign(name, description, tuple(families), dose)
