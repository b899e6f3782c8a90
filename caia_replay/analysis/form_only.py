"""The best form-only detector's figure of a campaign, kept by digest, to stand beside every adoption rate.

``attack audit --out attack-audit.json`` writes it; tables and reports read the file that lies in the current folder or
one above it. It is told of the very overlay over the very world that a run saw, and of no other: where there is none,
that is said. Nothing is trained to show a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from caia_replay.analysis.leak_audit import LIMITS, Leak
from caia_replay.errors import BadInput, one_line
from caia_replay.store.run_folder import read_json, write_json

AUDIT_FILE: Final = "attack-audit.json"
VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Best:
    """The highest AUC over every view and kind of a campaign or family against one kind of others, and where it is."""

    auc: float
    view: str
    kind: str
    planted: int
    others: int


@dataclass(frozen=True, slots=True)
class FormOnly:
    """What an audit says of one overlay: of each family ("" for all) the best against honest results and twins; one
    that is missing had too few results for a figure."""

    campaign: str
    families: Mapping[str, Mapping[str, Best]]

    def best(self, family: str = "", against: str = "honest") -> Best | None:
        """The figure of a family, or of all together; None where there were too few results for one."""
        return self.families.get(family, {}).get(against)


def best_of(leaks: Sequence[Leak], families: Iterable[str]) -> dict[str, dict[str, Best]]:
    """The best detectors by family and by what they tell it from. A campaign of one family has it for all."""
    found: dict[str, dict[str, Best]] = {}
    named = set(families)
    for leak in leaks:
        best = Best(leak.auc, leak.view, leak.kind, leak.planted, leak.others)
        for family in {leak.family, ""} if len(named) == 1 or not leak.family else {leak.family}:
            own = found.setdefault(family, {})
            if leak.against not in own or best.auc > own[leak.against].auc:
                own[leak.against] = best
    return found


def keep(path: Path, world: str, overlay: str, found: FormOnly) -> None:
    """Write what an audit found into its file; figures of other overlays stay, of this one they are replaced.

    ``world`` and ``overlay`` are the digests that certificates have. Raises ``BadInput`` for a file that is no audit's.
    """
    kept = _entries(path) if path.exists() else []
    families = {
        family: {against: {name: getattr(best, name) for name in Best.__slots__} for against, best in own.items()}
        for family, own in found.families.items()
    }
    entry = {"world": world, "overlay": overlay, "campaign": found.campaign, "families": families}
    others = [one for one in kept if (one["world"], one["overlay"]) != (world, overlay)]
    entries = sorted([*others, entry], key=lambda one: (one["campaign"], one["world"], one["overlay"]))
    write_json(path, {"version": VERSION, "audits": entries})


def find(start: Path, header: Mapping[str, Any]) -> FormOnly | None:
    """What was found of the overlay that a certificate's ``header`` names, by the nearest audit from ``start`` upwards;
    None where there is none of it. Raises ``BadInput`` for a file that is no audit's."""
    path = next((one / AUDIT_FILE for one in (start, *start.parents) if (one / AUDIT_FILE).is_file()), None)
    wanted = (header.get("world"), header.get("overlay"))
    for entry in () if path is None or None in wanted else _entries(path):
        if (entry["world"], entry["overlay"]) == wanted:
            families = {
                family: {against: Best(**best) for against, best in own.items()}
                for family, own in entry["families"].items()
            }
            return FormOnly(entry["campaign"], families)
    return None


def form_lines(start: Path, cells: Iterable[tuple[str, Mapping[str, Any]]]) -> Iterator[str]:
    """A line for each cell under attack, by its name and certificate: what form alone tells, or how to know."""
    for name, header in cells:
        found = find(start, header)
        if found is None:
            again = f"caia-replay attack audit --campaign {header.get('campaign')} --suite {header.get('suite')}"
            text = f"campaign {header.get('campaign')} has no leak audit here; next: {again} --out {AUDIT_FILE}"
        else:
            text = f"form alone tells {found.campaign} {', '.join(_told(found, against) for against in LIMITS)}"
        yield one_line(f"{name}: {text}")


def _told(found: FormOnly, against: str) -> str:
    best = found.best("", against)
    others = "honest results" if against == "honest" else "its twins"
    if best is None:
        return f"from {others}: too few for a figure"
    return f"from {others} with AUC {best.auc:.3f} (by {best.view})"


def _entries(path: Path) -> list[dict[str, Any]]:
    content = read_json(path)
    entries = content.get("audits")
    if content.get("version") != VERSION or not isinstance(entries, list) or not all(map(_is_entry, entries)):
        raise BadInput(
            f"is no audit of version {VERSION}", where=path, next_command=f"caia-replay attack audit --out {AUDIT_FILE}"
        )
    return entries


def _is_entry(entry: Any) -> bool:
    if not isinstance(entry, dict) or not all(
        type(entry.get(name)) is str for name in ("world", "overlay", "campaign")
    ):
        return False
    families = entry.get("families")
    return isinstance(families, dict) and all(
        isinstance(own, dict) and own.keys() <= LIMITS.keys() and all(map(_is_best, own.values()))
        for own in families.values()
    )


def _is_best(best: Any) -> bool:
    kinds = {"auc": float, "view": str, "kind": str, "planted": int, "others": int}
    return (
        isinstance(best, dict)
        and best.keys() == kinds.keys()
        and all(type(best[name]) is kind for name, kind in kinds.items())
        and 0 <= best["auc"] <= 1
    )
