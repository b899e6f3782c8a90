"""One entry of a fleet, played: ``python -m caia_replay.fleet.child``, its order pickled on stdin.

It prints a line for each finished run (``RunEnd``), and last how it ended (``Ending``). A line on stdin asks it to
stop: the completions under way are awaited, and counted. It ends at once when stdin closes.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from caia_replay.cassette.egress import egress_guard
from caia_replay.core.overlay import Overlay
from caia_replay.core.trajectory import UNFINISHED_STOPS
from caia_replay.errors import BadInput, Interrupted, MachineFault, SealBroken
from caia_replay.fleet.fleet_file import in_file
from caia_replay.fleet.matrix import Entry, FleetModel
from caia_replay.fleet.purse import FleetPurse, Spent
from caia_replay.fleet.reuse import Found, Headers
from caia_replay.fleet.take_up import take_up
from caia_replay.models.openai_compatible import OpenAICompatibleModel
from caia_replay.models.resolve import endpoint_hosts
from caia_replay.runner.context_room import require_room
from caia_replay.runner.episode import staged
from caia_replay.runner.plan import RunPlan
from caia_replay.runner.replay import play_all, require_playable
from caia_replay.runner.run_end import RunEnd
from caia_replay.store.run_folder import Journal
from caia_replay.store.world_folder import open_world

ORPHANED = 3


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be played, with what is known of it already: an ``Entry`` without its world, which has ``digest``."""

    name: str
    model: FleetModel
    plan: RunPlan
    out: Path
    digest: str
    found: Found
    overlays: Mapping[str, Overlay]
    headers: Headers
    ceiling: Decimal | None
    workers: int


@dataclass(frozen=True, slots=True)
class Ending:
    """How an entry ended: ``whole``, ``broken`` (in ``broken`` runs the endpoint or this machine failed), ``stopped``
    (somebody asked, or the ceiling is reached), ``refused`` (its user can mend it), ``died``; and ``why``.

    ``where`` is what was refused.
    """

    how: str
    why: str = ""
    where: str = ""
    broken: int = 0

    def line(self) -> str:
        """As one line of JSON, without the end of line."""
        return json.dumps({"ending": asdict(self)})


def read_line(line: bytes) -> RunEnd | Ending:
    """What a line of a child's stdout was made of."""
    content: dict[str, Any] = json.loads(line)
    return Ending(**content["ending"]) if "ending" in content else RunEnd(**content)


def main() -> int:
    """Play one entry; how it ended is the last line."""
    order: Order = pickle.load(sys.stdin.buffer)
    stopped = threading.Event()
    threading.Thread(target=_listen, args=(stopped,), daemon=True).start()
    print(_ended(order, stopped).line(), flush=True)
    return 0


def _ended(order: Order, stopped: threading.Event) -> Ending:
    model = order.model
    try:
        return _play(order, stopped)
    except Interrupted as stop:
        return Ending("stopped", str(stop))
    except BadInput as fault:
        is_setting = fault.where in ("MODEL", "OPENAI_BASE_URL", "MODEL or OPENAI_BASE_URL", model.key_variable)
        told = in_file(fault, model.path, "models", model.name, model.table) if is_setting else fault
        bare = BadInput(told.what, where=told.where, nearest=told.nearest)  # what is next, the fleet says
        return Ending("refused", str(bare), fault.where)
    except MachineFault as fault:
        return Ending("died", str(fault))
    except OSError as fault:  # a full disk: what is finished is kept
        return Ending("died", f"{fault.filename or order.out}: {fault.strerror or fault}")


def _play(order: Order, stopped: threading.Event) -> Ending:
    model = order.model
    os.environ.update(model.environ)
    folder = open_world(order.plan.world)
    entry = Entry(order.name, model, order.plan, folder, order.out)
    if folder.seal.digest != order.digest:
        raise SealBroken("the world was sealed anew while it was used", where=folder.path)
    with (
        egress_guard(endpoint_hosts(entry.plan.model, os.environ)),
        staged(entry.plan, folder, overlays=order.overlays) as stage,
    ):
        if isinstance(stage.model, OpenAICompatibleModel):
            spent = Spent(entry.out.parent)
            purse = FleetPurse(spent, entry.name, model.price, order.ceiling, stopped.is_set)
            stage.model.allowance = replace(model.allowance, purse=purse, share=model.share)
        require_playable(stage)
        require_room(stage)
        journal = Journal(entry.out)
        try:
            take_up(order.found, entry, stage, journal, order.headers, order.workers)
            done = play_all(stage, journal, order.workers, model.concurrency, watch=_Telling(entry))
        finally:
            journal.release()
    stops = (pair for summary in done.summaries for pair in summary["stops"].items())
    broken = sum(count for stop, count in stops if stop in UNFINISHED_STOPS)
    why = next((cause for cause in done.causes if cause), "")
    return Ending("broken" if broken else "whole", why, broken=broken)


class _Telling:
    """Prints each run that ends; with what was paid since the one before, where the fleet's file alone has a price."""

    def __init__(self, entry: Entry) -> None:
        self._entry, self._spent, self._told = entry, Spent(entry.out.parent), Decimal(0)

    def __call__(self, end: RunEnd) -> None:
        if end.usd is None and self._entry.model.table.price is not None:
            paid = self._spent.by_entry().get(self._entry.name, Decimal(0))
            end, self._told = replace(end, usd=str(paid - self._told)), paid
        print(end.line(), flush=True)


def _listen(stopped: threading.Event) -> None:
    if sys.stdin.buffer.readline():
        stopped.set()
        sys.stdin.buffer.read()
    os._exit(ORPHANED)


if __name__ == "__main__":
    sys.exit(main())
