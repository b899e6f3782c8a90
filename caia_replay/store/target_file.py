"""targets.toml: what a world offers whoever attacks its tasks. It is the author's, no model sees it, and no digest of
the world without its overlays covers it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from caia_replay.core.attack import AttackSurface
from caia_replay.errors import BadInput
from caia_replay.store.plain import build, read_toml, thawed, toml_text
from caia_replay.store.seal import write_atomic

TARGETS: Final = "targets.toml"


@dataclass(frozen=True, slots=True)
class _TargetFile:
    target: tuple[AttackSurface, ...]


def read_targets(folder: Path, sealed: str = "") -> Mapping[str, AttackSurface]:
    """The offers of the world in ``folder`` by task; none where it has no such file. ``sealed`` as in ``read_toml``.

    Raises ``BadInput`` as ``read_toml`` and ``build``, for a task told twice, and for a claim without ``{planted}``.
    """
    path = folder / TARGETS
    if not path.is_file():
        return {}
    offers: dict[str, AttackSurface] = {}
    for offer in build(_TargetFile, read_toml(path, sealed), path).target:
        if offer.task in offers:
            raise BadInput(f"task {offer.task!r} is told twice", where=path)
        if "{planted}" not in offer.claim:
            raise BadInput(f"the claim of {offer.task!r} has no {{planted}}", where=path)
        offers[offer.task] = offer
    return offers


def save_targets(folder: Path, offers: Iterable[AttackSurface]) -> None:
    """Write targets.toml into a world's ``folder``, sorted by task; what is empty is left out."""
    items = [_filled(thawed(offer)) for offer in sorted(offers, key=lambda offer: offer.task)]
    for item in items:
        if not item["since"]:
            del item["since"]
    write_atomic(folder / TARGETS, toml_text({"target": items}).encode())


def _filled(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _filled(item) for name, item in value.items() if item not in ("", [])}
    return [_filled(item) for item in value] if isinstance(value, list) else value
