"""How much of what people ordinarily ask a world answers, each figure beside the limit that it is to reach.

    python scripts/world_coverage.py explorer SUITE [--calls N]    misses of policy/explorer at 20 moments, by reason
    python scripts/world_coverage.py quick-starts SUITE            calls of the vendors' own quick-starts, by client
    python scripts/world_coverage.py size SUITE                    hosts and megabytes

A limit that is not reached is told so; the exit code is 0 all the same, for this measures and does not check.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from urllib.parse import urlsplit

from quick_starts import CLIENTS, Told, told_of

from caia_replay.canonical import strict_json
from caia_replay.cassette.cassette import Cassette
from caia_replay.core.task import Task
from caia_replay.errors import BadInput, CaiaReplayError
from caia_replay.interop.gateway import Gateway
from caia_replay.loopback import LoopbackServer
from caia_replay.models.policies.explorer import CALLS, ROUNDS
from caia_replay.providers.reader.provider import ORIGIN as READER
from caia_replay.runner.plan import make_plan
from caia_replay.runner.replay import replay
from caia_replay.store.results import read_table
from caia_replay.store.world_folder import WorldFolder, open_world
from caia_replay.world.world import FrozenWorld

ANCHORS: Final = 20
MOST_MISSES_PERCENT: Final = 3
LEAST_SERVED_PERCENT: Final = 95
LEAST_CALLS: Final = 120
LEAST_HOSTS: Final = 400
MOST_MB: Final = 100
_URL: Final = re.compile(r"https?://[^\s?]+")


def spread(folder: WorldFolder, count: int) -> list[Task]:
    """So many tasks, evenly over the world's time; one of each moment."""
    by_time = {task.anchor.timestamp: task for task in map(folder.task, folder.suite.active())}
    tasks = [by_time[moment] for moment in sorted(by_time)]
    if len(tasks) <= count:
        return tasks
    return [tasks[at * (len(tasks) - 1) // (count - 1)] for at in range(count)]


def explorer(folder: WorldFolder, calls: int) -> Iterable[str]:
    """Replay ``policy/explorer`` with at least so many calls, if a run makes all that it may, and count."""
    tasks = spread(folder, ANCHORS)
    a_run = 8 + ROUNDS * CALLS
    plan = make_plan(
        folder,
        tasks=tuple(task.id for task in tasks),
        arms=("clean",),
        model="policy/explorer",
        runs=max(1, -(-calls // (a_run * len(tasks)))),
        seed=0,
    )
    with TemporaryDirectory(prefix="caia-replay-coverage-") as scratch:
        replay(plan, folder, Path(scratch) / "run", workers=1, resume=False, replace=False)
        steps = read_table(Path(scratch) / "run" / "clean-tools" / "steps.parquet")
    made = [step for step in steps if step["kind"] == "tool"]
    served = Counter(str(step["served"]) for step in made)
    missed = Counter(_reason(step["tool"], step["missed"]) for step in made if step["served"] == "MISS")
    yield f"explorer: {len(made)} calls at {len(tasks)} moments of {folder.info.id}"
    yield ", ".join(f"{name} {count}" for name, count in sorted(served.items()))
    for reason, count in missed.most_common():
        yield f"  {count:5} {reason}"
    share = 100 * served["MISS"] / len(made)
    yield _judged(f"misses {share:.2f} %", f"at most {MOST_MISSES_PERCENT} %", share <= MOST_MISSES_PERCENT)


def _reason(tool: str, missed: str) -> str:
    """The tool, the kind of miss, and the host of what was asked, if it is an address."""
    told = strict_json(missed)
    url = _URL.search(str(told.get("message")))
    host = urlsplit(url[0]).netloc if url is not None and told.get("kind") == "http" else ""
    return " ".join(filter(None, (tool, str(told.get("kind")), host)))


def quick_starts(folder: WorldFolder) -> Iterable[str]:
    """Make the quick-starts' calls through the vendors' clients, at a moment in the middle of the world."""
    task = spread(folder, 3)[1]
    every: list[Told] = []
    with FrozenWorld(folder) as world:
        gateway = Gateway(world.task(task))
        with LoopbackServer(gateway) as server:
            for name, make in CLIENTS.items():
                told = told_of(gateway, make(server.url, task.anchor.timestamp))
                every += told
                if not told:
                    yield f"{name}: is not installed here, and was not asked"
                    continue
                yield f"{name}: {sum(one.is_served for one in told)} of {len(told)} calls served"
                for one in told:
                    if not one.is_served:
                        yield f"  {one.call}: {one.why}"
    if not every:
        raise BadInput("no client is installed", next_command="pip install pycoingecko python-binance ccxt")
    share = 100 * sum(one.is_served for one in every) / len(every)
    yield _judged(f"{len(every)} calls", f"at least {LEAST_CALLS}", len(every) >= LEAST_CALLS)
    yield _judged(f"served {share:.2f} %", f"at least {LEAST_SERVED_PERCENT} %", share >= LEAST_SERVED_PERCENT)


def size(folder: WorldFolder) -> Iterable[str]:
    """Count the hosts of recorded requests and of recorded pages, and the bytes of the world and its chains."""
    apis, pages = set[str](), set[str]()
    for path in folder.cassettes():
        for item in Cassette.open(path).interactions:
            if item.uri.startswith(f"{READER}/"):
                pages.add(urlsplit(item.uri.removeprefix(f"{READER}/")).netloc)
            else:
                apis.add(urlsplit(item.uri).netloc)
    chains = [folder.path.parents[1] / "chain_snapshots" / name for name in folder.info.chains]
    found = {path: _bytes(path) for path in (folder.path, *chains) if path.is_dir()}
    for path, count in found.items():
        yield f"{path.name}: {count / 1e6:.1f} MB"
    total = sum(found.values()) / 1e6
    yield f"{len(apis)} hosts of APIs, {len(pages)} hosts of pages"
    yield _judged(f"{len(apis | pages)} hosts", f"at least {LEAST_HOSTS}", len(apis | pages) >= LEAST_HOSTS)
    yield _judged(f"{total:.1f} MB", f"at most {MOST_MB} MB", total <= MOST_MB)


def _bytes(folder: Path) -> int:
    """Of all files but caches, which are disposable."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and ".cache" not in path.parts)


def _judged(found: str, limit: str, is_reached: bool) -> str:
    return f"{found}; limit: {limit}: {'reached' if is_reached else 'not reached'}"


def main(arguments: list[str]) -> int:
    """Print one measure; 2 for a suite that cannot be read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measure", choices=("explorer", "quick-starts", "size"))
    parser.add_argument("suite", help="a suite's name or a world's folder")
    parser.add_argument("--calls", type=int, default=960, help="of explorer: at least so many")
    asked = parser.parse_args(arguments)
    try:
        folder = open_world(asked.suite)
        measures = {"explorer": lambda: explorer(folder, asked.calls), "quick-starts": lambda: quick_starts(folder)}
        for line in measures.get(asked.measure, lambda: size(folder))():
            print(line, flush=True)
    except CaiaReplayError as fault:
        print(fault, file=sys.stderr)
        return 2 if isinstance(fault, BadInput) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
