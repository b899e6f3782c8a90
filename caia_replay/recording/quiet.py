"""Silence of the libraries that see requests before they are scrubbed: they log whole addresses, keys and all."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_TALKATIVE: Final = ("httpx", "httpx2", "httpcore", "httpcore2", "vcr", "urllib3")


@contextmanager
def quiet_clients() -> Iterator[None]:
    """Within the block no HTTP library of this process logs anything; afterwards each logs as it did."""
    known = [*_TALKATIVE, *logging.root.manager.loggerDict]
    found = [logging.getLogger(name) for name in known if name.partition(".")[0] in _TALKATIVE]
    before = [(one, one.disabled, one.level) for one in dict.fromkeys(found)]
    for one, _, _ in before:
        one.disabled = True
        one.setLevel(logging.CRITICAL + 1)  # what is made below it within the block has its level
    try:
        yield
    finally:
        for one, was_disabled, level in before:
            one.disabled = was_disabled
            one.setLevel(level)
