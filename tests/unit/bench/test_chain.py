from pathlib import Path

import pytest

from caia_replay.bench.chain import rows


def test_the_chain_rows_are_measured_on_the_shipped_world(
    shipped: Path, monkeypatch: pytest.MonkeyPatch, anvil_binary: Path
) -> None:
    """Fork start and eth_call are both measured, in positive time, beside a floor of the same run."""
    monkeypatch.setattr("caia_replay.bench.chain._STARTS", 1)
    monkeypatch.setattr("caia_replay.bench.chain._ROUNDS", 1)
    monkeypatch.setattr("caia_replay.bench.chain._CALLS", 2)
    measured = list(rows(str(shipped)))
    assert [row.name for row in measured] == ["fork ready", "eth_call through data_query"]
    assert all(row.value > 0 and row.floor > 0 and row.limit for row in measured)
