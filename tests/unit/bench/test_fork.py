from pathlib import Path

import pytest

from caia_replay.bench import fork


def test_every_part_of_a_lease_is_measured_beside_its_floor(
    shipped: Path, monkeypatch: pytest.MonkeyPatch, anvil_binary: Path
) -> None:
    """Re-pin, raw and web3 calls and a write, each in positive time; only the checkpoint's row has no limit."""
    for name in ("_PINS", "_WRITES", "_ROUNDS", "_CALLS"):
        monkeypatch.setattr(fork, name, 1)
    measured = list(fork.rows(str(shipped)))
    assert [(row.name, row.limit is not None) for row in measured] == [
        ("re-pin", True),
        ("eth_call, raw", True),
        ("eth_call, web3", True),
        ("write and throw away, a process of its own", True),
        ("write and throw away, beside a checkpoint", False),
    ]
    assert all(row.value > 0 and row.floor > 0 for row in measured)
    assert measured[3].value == measured[4].value
