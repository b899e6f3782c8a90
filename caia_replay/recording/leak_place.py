"""Addresses where a benchmark is kept or talked about: leak_hosts.toml, read strictly."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

from caia_replay.cassette.url import canonical_url
from caia_replay.errors import BadInput, nearest
from caia_replay.store.plain_file import read_plain

PLACES: Final = Path(__file__).with_name("leak_hosts.toml")
_MOST_BYTES: Final = 2**20
_KEYS: Final = ("hosts", "begins", "words")
_WORD: Final = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class LeakPlace:
    """``hosts`` with all below them (none: any), ``begins`` of the path (none: any), ``words`` that all stand in the
    address, each as one of its own. Everything in lower case."""

    hosts: tuple[str, ...] = ()
    begins: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    def holds(self, address: str) -> bool:
        """Whether a web address is there; what is none is nowhere."""
        try:
            place = canonical_url(address)
        except BadInput:
            return False
        host, path = place.host.rstrip("."), unquote(f"{place.path}?{place.query}").lower()
        if self.hosts and not any(host == one or host.endswith(f".{one}") for one in self.hosts):
            return False
        if self.begins and not path.startswith(self.begins):
            return False
        return not self.words or set(self.words) <= set(_WORD.findall(f"{host}{path}"))


def read_places(path: Path) -> tuple[LeakPlace, ...]:
    """The places of a file: a list ``[[place]]`` of tables with lists of texts. Raises ``BadInput``."""
    try:
        content = tomllib.loads(read_plain(path, _MOST_BYTES).decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise BadInput(f"is no TOML: {fault}", where=path) from None
    except OSError as fault:
        raise BadInput(f"cannot be read: {fault.strerror}", where=path) from None
    rows = content.get("place")
    if set(content) - {"place"} or not isinstance(rows, list):
        raise BadInput("holds no list of places alone", where=path, next_command="write [[place]] with hosts = [...]")
    return tuple(_place(row, f"{path}, place {number}") for number, row in enumerate(rows, 1))


def _place(row: Any, where: str) -> LeakPlace:
    if not isinstance(row, dict) or not row:
        raise BadInput("names nothing", where=where, next_command="write hosts, begins or words")
    for name, texts in row.items():
        if name not in _KEYS:
            raise BadInput(f"unknown key {name!r:.80}", where=where, nearest=nearest(name, _KEYS))
        if not isinstance(texts, list) or not texts or not all(isinstance(text, str) and text for text in texts):
            raise BadInput(f"{name!r} is no list of texts", where=where)
        if name == "words" and any(not _WORD.fullmatch(text) for text in texts):
            raise BadInput("'words' are letters and digits in lower case, each apart", where=where)
    return LeakPlace(**{name: tuple(text.lower() for text in texts) for name, texts in row.items()})
