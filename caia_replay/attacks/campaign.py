"""Campaigns: named sets of attacks, each with a dose, planned whole into one overlay."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from itertools import product
from pathlib import Path
from typing import Any, Final, TypeVar

from caia_replay.attacks.choice import Choice
from caia_replay.attacks.family import FAMILIES
from caia_replay.attacks.uniqueness_registry import WorldRegister
from caia_replay.core.attack import PLACES, Dose, Planting, Target
from caia_replay.core.overlay import Overlay, PlantedBody, PlantedPage, PlantedPost, PlantedTool, overlay_digest
from caia_replay.core.world import WorldView
from caia_replay.errors import BadInput, nearest

P = TypeVar("P", PlantedPage, PlantedPost, PlantedBody, PlantedTool)

FOLDER: Final = Path(__file__).parent / "campaigns"
DEFAULT: Final = "edited"

_TOLD: Final = "what it would say is planted against another task"
DRAWN_OUT: Final = "as many pages as the campaign plants against a task are planted by other families"
_LIMITS: Final[Mapping[str, tuple[int, int]]] = {"items": (1, 100), "offset_percent": (0, 10_000)}
_SHARES: Final[Mapping[str, tuple[int, int]]] = {"pages_per_task": (0, 100), "prevalence_percent": (50, 100)}
"""What a campaign may say of all of its families: the value where it does not, and the highest."""
_LANGUAGES: Final = ("", "en", "zh")


@dataclass(frozen=True, slots=True)
class Campaign:
    """``attacks`` are families with their doses, applied in this order. ``pages_per_task``: each task is attacked by
    families that are drawn, until so many pages stand; 0: by all. ``prevalence_percent``: of the results that answer a
    question, at most so many are planted; ``attack audit`` checks it."""

    name: str
    description: str
    attacks: tuple[tuple[str, Dose], ...]
    pages_per_task: int = 0
    prevalence_percent: int = 50

    def dosed(self, changes: Mapping[str, int | str], where: str = "dose") -> Campaign:
        """The same with some fields of every dose changed. Raises ``BadInput`` for what no dose has."""
        attacks = tuple((family, _dose({**asdict(dose), **changes}, where)) for family, dose in self.attacks)
        return replace(self, attacks=attacks)


@dataclass(frozen=True, slots=True)
class NotApplicable:
    """A family that has nothing to plant against a task, and why."""

    task: str
    attack: str
    why: str


@dataclass(frozen=True, slots=True)
class Planned:
    """What a campaign adds, and each family and task for which it adds nothing, with the reason."""

    overlay: Overlay
    not_applicable: tuple[NotApplicable, ...]


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


def plan_campaign(campaign: Campaign, asked: Iterable[tuple[WorldView, Target]], register: WorldRegister) -> Planned:
    """Everything the campaign adds against every target, each seen in its own view, whatever their order.

    Pages are sorted by address, posts by moment and id, bodies by request, tools by name.
    """
    ordered = sorted(asked, key=lambda pair: pair[1].task)
    plantings: list[Planting] = []
    left_out: list[NotApplicable] = []
    owners: dict[str, tuple[str, str]] = {}
    pages: Counter[str] = Counter()
    for family, dose, view, target in _in_turn(campaign, ordered):
        attack = FAMILIES[family]
        if 0 < campaign.pages_per_task <= pages[target.task] and getattr(attack, "is_page", False):
            made: Planting | str = DRAWN_OUT
        else:
            made = _apart(attack.plan(view, target, dose, register), owners)
        if isinstance(made, Planting):
            plantings.append(made)
            pages[target.task] += len(made.pages)
        else:
            left_out.append(NotApplicable(target.task, family, made))
    return Planned(joined(campaign.name, plantings), tuple(left_out))


def _in_turn(
    campaign: Campaign, ordered: Sequence[tuple[WorldView, Target]]
) -> Iterator[tuple[str, Dose, WorldView, Target]]:
    """Family by family; or task by task, its families in an order that is drawn, where not all may plant."""
    if not campaign.pages_per_task:
        for (family, dose), (view, target) in product(campaign.attacks, ordered):
            yield family, dose, view, target
        return
    doses = {f"{family}/{dose.place}": (family, dose) for family, dose in campaign.attacks}
    for view, target in ordered:
        for name in Choice(target.task, campaign.name).order("attack", list(doses)):
            yield *doses[name], view, target


def _apart(made: Planting | str, owners: dict[str, tuple[str, str]]) -> Planting | str:
    """Without pages and posts that say what another task's say already: two tasks may have one wrong answer. Nothing
    where a body does: what leads to it would lead nowhere."""
    if isinstance(made, str):
        return made

    def is_own(found: PlantedPage | PlantedPost | PlantedBody) -> bool:
        owner = (found.task, found.attack)
        return not found.planted or owners.setdefault(found.planted, owner) == owner

    if not all(map(is_own, made.bodies)):
        return _TOLD
    kept = replace(made, pages=tuple(filter(is_own, made.pages)), posts=tuple(filter(is_own, made.posts)))
    is_left = kept.pages or kept.posts or kept.bodies or kept.tools or kept == made
    return kept if is_left else _TOLD


def joined(campaign: str, plantings: Iterable[Planting]) -> Overlay:
    """One overlay of what several families plant. Raises ``BadInput`` where two lies could not be told apart, or two
    things would stand in one place."""
    made = [_once_said(one) for one in plantings]
    overlay = Overlay(
        campaign,
        tuple(sorted((page for one in made for page in one.pages), key=lambda found: found.page.url)),
        "",
        tuple(
            sorted((post for one in made for post in one.posts), key=lambda found: (found.post.created, found.place))
        ),
        tuple(sorted((body for one in made for body in one.bodies), key=lambda one: (one.url, one.method, one.body))),
        tuple(sorted({tool for one in made for tool in one.tools}, key=lambda one: (one.tool, one.attack, one.task))),
    )
    _require_apart(overlay)
    return replace(overlay, digest=overlay_digest(overlay))


def _once_said(made: Planting) -> Planting:
    """Without answers that are what is planted: a lie is written once, and so is changed once."""
    return Planting(
        tuple(map(_without_echo, made.pages)),
        tuple(map(_without_echo, made.posts)),
        tuple(map(_without_echo, made.bodies)),
        tuple(map(_without_echo, made.tools)),
    )


def _without_echo(found: P) -> P:
    return replace(found, answer="") if found.answer == found.planted else found


def _require_apart(overlay: Overlay) -> None:
    owners: dict[str, tuple[str, str]] = {}
    taken: set[tuple[str, ...]] = set()
    for planted in overlay.planted():
        owner = (planted.task, planted.attack)
        if planted.planted and owners.setdefault(planted.planted, owner) != owner:
            other = " of ".join(reversed(owners[planted.planted]))
            what = f"{planted.attack} of {planted.task} and {other} plant the same value {planted.planted!r}"
            raise BadInput(what, where=f"campaign {overlay.campaign}")
    places: list[tuple[str, ...]] = [
        *(("page", found.place) for found in overlay.pages),
        *(("post", found.post.id) for found in overlay.posts),
        *(("body", found.method, found.url, found.body) for found in overlay.bodies),
        *(("tool", found.tool, found.attack, found.task) for found in overlay.tools),
    ]
    for place in places:
        if place in taken:
            raise BadInput(f"two planted at {' '.join(place):.300}", where=f"campaign {overlay.campaign}")
        taken.add(place)


def _campaign(name: str, table: Mapping[str, Any], where: str) -> Campaign:
    wanted = {"description", "attack"}
    odd = sorted(wanted - table.keys() | table.keys() - wanted - _SHARES.keys())
    if odd:
        raise BadInput(
            f"keys must be {sorted(wanted)}, and may be {sorted(_SHARES)}; odd or missing: {odd}", where=where
        )
    description, attacks = table["description"], table["attack"]
    shares = {key: table.get(key, of_none) for key, (of_none, _) in _SHARES.items()}
    for key, value in shares.items():
        if type(value) is not int or not 0 <= value <= _SHARES[key][1]:
            raise BadInput(f"{key} is {value!r:.80}; it goes from 0 to {_SHARES[key][1]}", where=where)
    if not isinstance(description, str) or not isinstance(attacks, list) or not attacks:
        raise BadInput("description must be a text, and at least one [[attack]] must be there", where=where)
    made: list[tuple[str, Dose]] = []
    for attack in attacks:
        family = attack.get("family") if isinstance(attack, Mapping) else None
        if not isinstance(family, str) or family not in FAMILIES:
            raise BadInput(f"no attack family {family!r:.80}", where=where, nearest=nearest(str(family), FAMILIES))
        made.append((family, _dose({key: value for key, value in attack.items() if key != "family"}, where)))
    if len({(family, dose.place) for family, dose in made}) != len(made):
        raise BadInput("a family is listed twice at one place; raise its dose instead", where=where)
    return Campaign(name, description, tuple(made), **shares)


def _dose(entries: Mapping[str, Any], where: str) -> Dose:
    known = {field.name: field.default for field in fields(Dose)}
    for name, value in entries.items():
        if name not in known:
            raise BadInput(f"a dose has no {name!r:.80}", where=where, nearest=nearest(name, known))
        if type(value) is not type(known[name]):
            raise BadInput(f"{name} is {value!r:.80}, wanted is a {type(known[name]).__name__}", where=where)
    dose = Dose(**entries)
    for name, (least, most) in _LIMITS.items():
        if not least <= getattr(dose, name) <= most:
            raise BadInput(f"{name} is {getattr(dose, name)}; it goes from {least} to {most}", where=where)
    if dose.language not in _LANGUAGES:
        raise BadInput(f"language is {dose.language!r:.80}", where=where, nearest="en, zh, or leave it out")
    if dose.place not in PLACES:
        raise BadInput(
            f"place is {dose.place!r:.80}", where=where, nearest=nearest(dose.place, PLACES) or " | ".join(PLACES)
        )
    return dose
