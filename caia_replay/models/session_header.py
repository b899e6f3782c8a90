"""Which run and turn a chat request belongs to, told to transports on this machine and to nobody else.

A scripted or recorded model is keyed by run and turn, never by what was asked. Requests carry both in two headers
when their model is ``keyed``; a transport that passes requests on to a network takes them out first.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from caia_replay.core.model import RunKey

RUN_HEADER = "x-caia-replay-run"
TURN_HEADER = "x-caia-replay-turn"


def run_text(key: RunKey) -> str:
    """A run as a header can carry it: JSON in ASCII."""
    return json.dumps([key.task, key.arm, key.condition, key.agent, key.attempt], separators=(",", ":"))


def read_run(headers: Mapping[str, str]) -> tuple[RunKey, int] | None:
    """The run and turn (from 1) that a request's headers name; None where they name none.

    A turn's retries, and requests that leave out a refused parameter, bear the turn's number again.
    """
    try:
        task, arm, condition, agent, attempt = json.loads(headers[RUN_HEADER])
        return RunKey(str(task), str(arm), str(condition), str(agent), int(attempt)), int(headers[TURN_HEADER])
    except (KeyError, TypeError, ValueError):
        return None
