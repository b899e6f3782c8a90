"""What people are told of requests: one line each, without keys."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from caia_replay.cassette.explain import mask
from caia_replay.cassette.secret import word_of
from caia_replay.errors import one_line
from caia_replay.recording.secret_scanner import key_like

_KEY_NAME: Final = re.compile(r"(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)(?:$|_)|APIKEY", re.IGNORECASE)
_MIN_KEY_CHARS: Final = 12
_HEX_KEY: Final = re.compile(r"(?<=/)[0-9a-fA-F]{32}(?![0-9A-Za-z])")
_HIDDEN: Final = "***"


def shown(text: str, secrets: Iterable[str] = ()) -> str:
    """``text`` on one line, without what is a key by its name, by its look or as one of ``secrets``."""
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, _HIDDEN)
    text = mask(text)
    for found in set(key_like(text)):
        text = text.replace(found, _HIDDEN)
    return one_line(_HEX_KEY.sub(_HIDDEN, text))


def grouped(lines: Iterable[str]) -> list[str]:
    """Equal lines once, in the order they came, with how often they stand there."""
    return [f"{line} ({count} times)" if count > 1 else line for line, count in Counter(lines).items()]


def secrets_in(environment: Mapping[str, str]) -> frozenset[str]:
    """The values of an environment that are keys by their names, such as ``GITHUB_TOKEN`` and ``ETHERSCAN_API_KEY``."""
    return frozenset(
        value
        for name, value in environment.items()
        if _KEY_NAME.search(name) and len(value) >= _MIN_KEY_CHARS and "/" not in value and word_of(value) != value
    )


def plural(count: int, noun: str) -> str:
    """``1 host``, ``2 hosts``."""
    return f"{count} {noun}{'s' * (count != 1)}"
