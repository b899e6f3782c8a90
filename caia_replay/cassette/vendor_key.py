"""Where known vendors take their keys in an address, as data (vendor_keys.toml), and how their keys are known by sight.

Most vendors name the field of a key so that ``secret.is_secret`` knows it whatever the host. Node vendors have it in
the path, and some call it ``token`` or ``key``, which elsewhere is no secret. Recordings and requests read it alike.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final, Literal
from urllib.parse import unquote

from caia_replay.cassette.secret import is_secret, word_of
from caia_replay.store.plain import build

_FILE: Final = "vendor_keys.toml"


@dataclass(frozen=True, slots=True)
class VendorKey:
    """One vendor; the file says what each field means."""

    name: str
    kind: Literal["node", "market", "explorer", "model", "other"]
    hosts: tuple[str, ...]
    source: str
    paths: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    shapes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KeyPlaces:
    """Where one host takes keys: in its path, and under these names of its query."""

    paths: tuple[re.Pattern[str], ...]
    names: frozenset[str]

    def is_name(self, name: str) -> bool:
        """Whether a field of the query holds a key here."""
        return name.lower() in self.names or is_secret(name)

    def masked(self, path: str, word: Callable[[str], str] = word_of) -> str:
        """``path`` with what ``word`` gives in the place of each key."""
        for pattern in self.paths:
            found = pattern.match(path)
            if found is not None:
                return f"{path[: found.start(1)]}{word(found[1])}{path[found.end(1) :]}"
        return path

    def keys(self, path: str) -> Iterator[str]:
        """The keys in ``path``, as they stand there and without their escapes."""
        for pattern in self.paths:
            found = pattern.match(path)
            if found is not None:
                yield from {found[1], unquote(found[1])}
                return


@lru_cache(maxsize=1)
def vendors() -> tuple[VendorKey, ...]:
    """Every known vendor, in the file's order."""
    text = files("caia_replay.cassette").joinpath(_FILE).read_text("utf-8")
    return tuple(build(VendorKey, row, _FILE) for row in tomllib.loads(text)["vendor"])


@lru_cache(maxsize=1)
def key_shapes() -> tuple[tuple[str, re.Pattern[bytes]], ...]:
    """The vendor's name and the form of its keys, for those that can be known wherever they stand."""
    return tuple((one.name, re.compile(shape.encode())) for one in vendors() for shape in one.shapes)


@lru_cache(maxsize=4096)
def places_of(host: str) -> KeyPlaces | None:
    """Where ``host`` (lower case, without a port) takes keys, if it is a known vendor's."""
    found = [one for one in vendors() if any(host == name or host.endswith(f".{name}") for name in one.hosts)]
    if not found:
        return None
    return KeyPlaces(
        tuple(re.compile(path) for one in found for path in one.paths),
        frozenset(name.lower() for one in found for name in one.names),
    )
