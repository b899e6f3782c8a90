"""Record the snapshots of examples/*-offline anew: ``python -m scripts.record_examples [NAME ...]``, with node 22.

The chain is a local Anvil of 60 blocks with a token, a pool and a vault (tests/foundry_origin.py). It is synthetic, and
labelled so.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from caia_replay.chain.anvil_binary import find_anvil
from caia_replay.chain.snapshot_schema import read_snapshot, write_snapshot
from tests.foundry_origin import archive, forge_project
from tests.offline_example import COMMANDS, ROOT, copied

SOURCE: Final = "a local chain of 60 blocks with a token, a pool and a vault, made for the examples"


def record(name: str, upstream: str, folder: Path, environment: Mapping[str, str]) -> None:
    """Record one example from a copy of it, and put its snapshot into its folder, labelled synthetic."""
    place = folder / "chain_snapshots" / "harbour"
    shutil.rmtree(place, ignore_errors=True)
    rpc = [sys.executable, "-c", "from caia_replay.cli import main; main()", "rpc"]
    told = [*rpc, "record", "--narrow", "--upstream", upstream, "--out", str(place), "--", *COMMANDS[name].recorded]
    subprocess.run(told, cwd=folder, env=dict(environment), check=True)
    info, rows = read_snapshot(place)
    target = ROOT / name / "chain_snapshots" / "harbour"
    shutil.rmtree(target, ignore_errors=True)
    write_snapshot(target, replace(info, provenance="synthetic", source=SOURCE), rows)


def main() -> None:
    """Each example that is named, or all."""
    with tempfile.TemporaryDirectory() as temporary:
        built, _ = forge_project(Path(temporary) / "origin")
        with archive(find_anvil(), built) as node:
            for name in sys.argv[1:] or sorted(COMMANDS):
                folder, environment = copied(name, Path(temporary) / name)
                record(name, node.url, folder, {**environment, "CAIA_REPLAY_ANVIL": str(find_anvil())})
                print(f"{name}: {os.path.relpath(ROOT / name)}")


if __name__ == "__main__":
    main()
