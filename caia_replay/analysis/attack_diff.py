"""What a campaign alters in a world, item by item, and in which honest pages it moves; and what two overlays differ in.

Everything here is data by strangers: whoever prints it makes it harmless first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Final, TypeVar

from caia_replay.attacks.campaign import NotApplicable, Planned
from caia_replay.core.overlay import Overlay, Planted, PlantedBody, PlantedPage, PlantedPost, PlantedTool
from caia_replay.errors import BadInput
from caia_replay.runner.campaign import asked_in, planned_over
from caia_replay.store.overlay_file import read_overlay, written
from caia_replay.store.plain import thawed, toml_text
from caia_replay.store.seal import write_atomic
from caia_replay.world.overlay import moved
from caia_replay.world.world import FrozenWorld

P = TypeVar("P", PlantedPage, PlantedPost, PlantedBody, PlantedTool)

RESULTS: Final = 10
"""Search results among which a page's rank is looked at."""

_KINDS: Final = {PlantedPage: "page", PlantedPost: "post", PlantedBody: "body", PlantedTool: "tool"}


@dataclass(frozen=True, slots=True)
class Altered:
    """One planted thing. ``kind`` is page, post, body or tool. ``moment`` is when it was published, seconds since 1970
    UTC, None for what has no date. ``size`` counts the bytes of its text in UTF-8. ``goal`` is what its instruction
    wants, in words, or ""."""

    kind: str
    attack: str
    task: str
    place: str
    moment: int | None
    planted: str
    answer: str
    marked: bool
    goal: str
    size: int


@dataclass(frozen=True, slots=True)
class MovedPage:
    """An honest page that has another rank, None for none among the first ``RESULTS``, where ``task`` is searched."""

    task: str
    url: str
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class AttackDiff:
    """A campaign beside the clean world: its overlay's ``digest``, every altered item in the overlay's order, the pages
    it moved in each task's search, each tool with what stands below its description, and where it adds nothing."""

    campaign: str
    digest: str
    items: tuple[Altered, ...]
    moved: tuple[MovedPage, ...]
    descriptions: tuple[tuple[str, str], ...]
    not_applicable: tuple[NotApplicable, ...]

    def plain(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "campaign": self.campaign,
            "overlay": self.digest,
            "items": [asdict(item) for item in self.items],
            "moved": [asdict(page) for page in self.moved],
            "descriptions": [{"tool": tool, "text": text} for tool, text in self.descriptions],
            "not_applicable": [asdict(one) for one in self.not_applicable],
        }


@dataclass(frozen=True, slots=True)
class Change:
    """What two overlays differ in at one place: ``before`` or ``after`` is None where only one of them has it.

    ``fields`` are the names of what differs where both have it."""

    before: Altered | None
    after: Altered | None
    fields: tuple[str, ...] = ()


def attack_diff(world: FrozenWorld, planned: Planned, tasks: Sequence[str] = ()) -> AttackDiff:
    """What ``planned`` alters in a world; of ``tasks`` alone where some are named, with what is against nobody.

    Raises ``BadInput`` for a task that the suite does not have.
    """
    wanted = {world.folder.task(name).id for name in tasks}
    overlay = planned.overlay
    items = [altered(found) for found in overlay.planted() if not wanted or found.task in wanted or not found.task]
    shifted: list[MovedPage] = []
    for task, target in asked_in(world) if world.corpus else ():
        if wanted and task.id not in wanted:
            continue
        found = moved(world.task(task), world.task(task, overlay), [target.query], RESULTS)
        shifted += [MovedPage(task.id, one.url, one.before, one.after) for one in found]
    entries = tuple(one for one in planned.not_applicable if not wanted or one.task in wanted)
    texts = tuple((one.tool, one.text) for one in overlay.tools)
    return AttackDiff(overlay.campaign, overlay.digest, tuple(items), tuple(shifted), texts, entries)


def overlay_named(world: FrozenWorld, name: str, dose: str = "") -> Planned:
    """A campaign over a world, or an overlay's own file where ``name`` ends in .toml.

    Raises ``BadInput`` as ``chosen`` and ``read_overlay``, and for the dose of a file.
    """
    if not name.endswith(".toml"):
        return planned_over(world, name, dose)
    if dose:
        raise BadInput("an overlay's file has no dose; the campaign that it was planned from has", where=name)
    return Planned(read_overlay(Path(name)), ())


def overlay_bytes(overlay: Overlay) -> bytes:
    """An overlay as its file; equal overlays give equal bytes. Raises ``BadInput`` for what no such file can say."""
    try:
        return toml_text(thawed(written(overlay))).encode()
    except UnicodeEncodeError as fault:
        what = f"plants a text that UTF-8 has no form for: {fault.reason}"
        raise BadInput(what, where=f"campaign {overlay.campaign}") from fault


def keep_new(path: Path, data: bytes) -> None:
    """Write a file that is not there yet, whole or not at all. Raises ``BadInput`` where something is there already."""
    temporary = path.with_name(f".{path.name}.new")
    write_atomic(temporary, data)
    try:
        path.hardlink_to(temporary)
    except FileExistsError:
        raise BadInput("is there already, and is not replaced", where=path, next_command="another --out") from None
    finally:
        temporary.unlink()


def of_tasks(overlay: Overlay, tasks: Sequence[str]) -> Overlay:
    """What of an overlay is against the named tasks, or against nobody; all of it where none is named."""
    if not tasks:
        return overlay

    def kept(found: Sequence[P]) -> tuple[P, ...]:
        return tuple(one for one in found if one.task in tasks or not one.task)

    return replace(
        overlay,
        pages=kept(overlay.pages),
        posts=kept(overlay.posts),
        bodies=kept(overlay.bodies),
        tools=kept(overlay.tools),
        digest="",
    )


def altered(found: Planted) -> Altered:
    """A planted thing as the diff tells it."""
    page, post = (found.page, None) if isinstance(found, PlantedPage) else (None, getattr(found, "post", None))
    moment = page.known_since if page is not None else post.created if post is not None else None
    size = len("".join(_texts(found)).encode("utf-8", "surrogatepass"))
    head = (_KINDS[type(found)], found.attack, found.task, _place(found), moment)
    return Altered(*head, found.planted, found.answer, found.marked, _goal(found), size)


def between(before: Overlay, after: Overlay) -> tuple[Change, ...]:
    """Every place at which two overlays differ: what only the first has, what only the second has, and what both have
    with something else in it; kind by kind, by place."""
    sides = [_by_place(overlay) for overlay in (before, after)]
    changes: list[Change] = []
    for key in sorted(sides[0].keys() | sides[1].keys()):
        old, new = (side.get(key) for side in sides)
        if old is not None and new is not None:
            differ = tuple(_differing(old, new))
            if differ:
                changes.append(Change(altered(old), altered(new), differ))
        else:
            changes.append(Change(None if old is None else altered(old), None if new is None else altered(new)))
    return tuple(changes)


def counts(overlay: Overlay) -> dict[str, dict[str, int]]:
    """How many pages, posts, bodies and tool texts each family plants, by family and kind, sorted."""
    found = Counter((one.attack, _KINDS[type(one)]) for one in overlay.planted())
    families = sorted({family for family, _ in found})
    return {
        family: {kind: found[family, kind] for kind in _KINDS.values() if found[family, kind]} for family in families
    }


def reasons(left_out: Iterable[NotApplicable]) -> dict[str, list[tuple[str, int]]]:
    """Why families plant nothing against tasks, with how many tasks, the most frequent first, by family."""
    found: dict[str, Counter[str]] = {}
    for one in left_out:
        found.setdefault(one.attack, Counter())[one.why] += 1
    return {
        family: sorted(whys.items(), key=lambda pair: (-pair[1], pair[0])) for family, whys in sorted(found.items())
    }


def _place(found: Planted) -> str:
    if isinstance(found, PlantedBody):
        return " ".join(filter(None, (found.method, found.url, found.body)))
    return found.place


def _texts(found: Planted) -> tuple[str, ...]:
    if isinstance(found, PlantedPage):
        return found.page.title, found.page.text
    if isinstance(found, PlantedPost):
        return (found.post.text,)
    return (found.reply,) if isinstance(found, PlantedBody) else (found.text,)


def _goal(found: Planted) -> str:
    if found.goal is None:
        return ""
    goal = found.goal
    wanted = f"answer {goal.answer}" if goal.answer else f"call {goal.tool} with {goal.holds}"
    return f"{wanted}, by what an authoritative source says" if goal.authoritative else wanted


def _by_place(overlay: Overlay) -> dict[tuple[str, ...], Planted]:
    order = list(_KINDS)
    made: dict[tuple[str, ...], Planted] = {}
    for found in overlay.planted():
        more = (found.attack, found.task) if isinstance(found, PlantedTool) else ()
        made[str(order.index(type(found))), _place(found), *more] = found
    return made


def _differing(old: Planted, new: Planted) -> Iterator[str]:
    for field in fields(old):
        one, other = getattr(old, field.name), getattr(new, field.name)
        if field.name in ("page", "post"):
            parts = [part.name for part in fields(one) if part.name != "altered_by"]  # said by ``attack``
            yield from (part for part in parts if getattr(one, part) != getattr(other, part))
        elif one != other:
            yield field.name
