from pathlib import Path

import pytest

from caia_replay.bench import many_forks


def test_time_and_memory_are_measured_for_each_count(
    shipped: Path, monkeypatch: pytest.MonkeyPatch, anvil_binary: Path
) -> None:
    """Two rows per count; three forks take more memory than one, as three plain Anvils do."""
    monkeypatch.setattr(many_forks, "COUNTS", (1, 3))
    monkeypatch.setattr(many_forks, "_ROUNDS", 1)
    measured = {row.name: row for row in many_forks.rows(str(shipped))}
    assert list(measured) == ["1 fork, ready", "1 fork, memory", "3 forks, ready", "3 forks, memory"]
    one, three = measured["1 fork, memory"], measured["3 forks, memory"]
    assert 1 < one.value < three.value and 1 < one.floor < three.floor
    assert measured["3 forks, ready"].value > 0 and measured["3 forks, ready"].limit is not None
