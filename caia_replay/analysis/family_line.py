"""One line about each attack family, from where it is written down: the first sentence of its module, or of its own
class where several families share a module."""

from __future__ import annotations

import re
import sys
from collections import Counter
from typing import Final

from caia_replay.attacks.family import FAMILIES

_OPENING: Final = re.compile(r"The family ``[^`]*``: ")
_SENTENCE: Final = re.compile(r"[.:](?:\s|$)")


def family_told() -> dict[str, str]:
    """What each family does, by its name, in the order of the registry."""
    shared = Counter(type(family).__module__ for family in FAMILIES.values())
    fields: dict[str, str] = {}
    for name, family in FAMILIES.items():
        kind = type(family)
        source = sys.modules[kind.__module__] if shared[kind.__module__] == 1 else kind
        fields[name] = _first_sentence(source.__doc__ or "")
    return fields


def _first_sentence(text: str) -> str:
    flat = _OPENING.sub("", " ".join(text.split()), count=1)
    return _SENTENCE.split(flat, maxsplit=1)[0].replace("``", "")
