"""Labels that say how far a tool's source can be trusted: true, swapped or by lot.

Labels that are not true tell, beside the true ones, an agent that goes by labels from one that does not. They are no
defence. What is honest and what is planted bear the same label, by the tool alone, as in ``Labelled``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from caia_replay.canonical import canonical_bytes
from caia_replay.core.tool import Authority, Toolset
from caia_replay.tools.defences import Labelled

OPPOSITE: Final[Mapping[Authority, Authority]] = MappingProxyType(
    {"authoritative": "open-web", "open-web": "authoritative", "social": "authoritative"}
)
"""The class that a source is told to be of where labels are swapped."""


def true_labels(toolset: Toolset, seed: int, question: str) -> Toolset:
    """Every source under its own label."""
    return Labelled(toolset)


def swapped_labels(toolset: Toolset, seed: int, question: str) -> Toolset:
    """Open sources are told to be authoritative, and authoritative ones to be open."""
    return Labelled(toolset, {spec.name: OPPOSITE[spec.authority] for spec in toolset.specs()})


def shuffled_labels(toolset: Toolset, seed: int, question: str) -> Toolset:
    """The tools' labels dealt among the tools, anew for each question: as many of each class as there are."""
    specs = sorted(toolset.specs(), key=lambda spec: spec.name)
    order = sorted(specs, key=lambda spec: _lot(seed, question, spec.name))
    return Labelled(toolset, {spec.name: other.authority for spec, other in zip(specs, order, strict=True)})


TREATMENTS: Final[Mapping[str, Callable[[Toolset, int, str], Toolset] | None]] = MappingProxyType(
    {"none": None, "true": true_labels, "swapped": swapped_labels, "shuffled": shuffled_labels}
)
"""What is done with labels by the word for it: a toolset, a seed and the question as asked give the toolset."""


def _lot(*what: object) -> bytes:
    return hashlib.sha256(canonical_bytes(["label-treatment", *what])).digest()
