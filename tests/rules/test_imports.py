"""What a replay's process may not load."""

from __future__ import annotations

import subprocess
import sys

REPLAY = (
    "caia_replay.cli, caia_replay.runner.replay, caia_replay.runner.worker, caia_replay.tools.catalog, "
    "caia_replay.chain.fork_pool, caia_replay.models.openai_compatible, caia_replay.models.policies, openai"
)


def loaded(modules: str) -> tuple[set[str], int]:
    """The top-level modules a fresh interpreter has after importing, and its recursion limit."""
    code = f"import {modules}, sys; print(sys.getrecursionlimit(), *{{name.split('.')[0] for name in sys.modules}})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    limit, *names = run.stdout.split()
    return set(names), int(limit)


def test_a_replay_never_lifts_the_recursion_limit() -> None:
    """Nothing a replay imports raises the bound that keeps hostile JSON from breaking the C stack."""
    names, limit = loaded(REPLAY)
    assert limit == 1_000
    assert not {"py_ecc", "eth_account", "web3", "vcr", "pytest", "requests", "urllib3"} & names


def test_help_loads_nothing_heavy() -> None:
    """The command line itself imports click and the standard library."""
    names, _ = loaded("caia_replay.cli")
    assert not {"openai", "pyarrow", "pydantic", "rich", "tantivy", "uvicorn", "eth_abi", "httpx2"} & names
