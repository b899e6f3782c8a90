"""One worker process: ``python -m caia_replay.runner.worker``, with a socket as its stdin.

Its arguments are modules that it imports first. By the socket come the journal's lock, a shard of a plan, pickled, and
its overlays, which are still being planned while the worker opens the world.

Where ``said`` names a run folder, what its model said is said again, and nobody is asked. It prints a line for
each finished run (``RunEnd``). It ends when its parent does: the parent holds stdin open.
"""

from __future__ import annotations

import os
import pickle
import socket
import sys
import threading
from dataclasses import replace
from importlib import import_module

from caia_replay.cassette.egress import egress_guard
from caia_replay.errors import BadInput, SealBroken
from caia_replay.models.resolve import endpoint_hosts
from caia_replay.runner.episode import opened, play
from caia_replay.runner.plan import RunPlan
from caia_replay.runner.run_end import RunEnd
from caia_replay.store.run_folder import Journal
from caia_replay.store.world_folder import open_world

ORPHANED = 3


def main() -> int:
    """Play the shard; exit code 0, or 2 with one line on stderr."""
    try:
        for name in sys.argv[1:]:
            import_module(name)
        with socket.socket(fileno=os.dup(sys.stdin.fileno())) as door:
            if not socket.recv_fds(door, 1, 1)[0]:
                return ORPHANED
        order = pickle.load(sys.stdin.buffer)
        plan: RunPlan = order["plan"]
        folder = open_world(plan.world)
        if folder.seal.digest != order["world"]:
            raise SealBroken("the world was sealed anew while it was used", where=folder.path)
        said = order.get("said")
        hosts = endpoint_hosts(plan.model, os.environ) if said is None else frozenset[str]()
        with egress_guard(hosts), opened(plan, folder, said) as stage:
            stage = replace(stage, overlays=pickle.load(sys.stdin.buffer))
            threading.Thread(target=_end_with_parent, daemon=True).start()
            journal = Journal(order["out"])
            play(stage, journal, _tell, order.get("concurrency"), order.get("share", 1))
    except (EOFError, pickle.UnpicklingError):  # the parent ended
        return ORPHANED
    except BadInput as fault:
        print(fault, file=sys.stderr)
        return BadInput.exit_code
    except OSError as fault:  # a full disk is told as it is without workers
        line = BadInput(
            fault.strerror or str(fault), where=fault.filename or "", next_command="put that right, then add --resume"
        )
        print(line, file=sys.stderr)
        return BadInput.exit_code
    return 0


def _tell(end: RunEnd) -> None:
    print(end.line(), flush=True)


def _end_with_parent() -> None:
    sys.stdin.read()
    os._exit(ORPHANED)


if __name__ == "__main__":
    ended = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(ended)  # all is closed, and to take a big world apart object by object takes most of a second
