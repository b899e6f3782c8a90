import json
from collections.abc import Callable, Iterator

import pytest

from caia_replay.bench import table
from caia_replay.bench.row import Row
from caia_replay.errors import BadInput


def test_an_unknown_group_names_the_nearest() -> None:
    """A group that does not exist is refused with the one that does."""
    with pytest.raises(BadInput, match="nearest: http"):
        table.run(("htp",), as_json=True)


def test_rows_print_as_json_and_a_broken_limit_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """--json prints every row with its group, and run returns False when a limit is broken."""
    monkeypatch.setitem(table.GROUPS, "http", lambda: iter([Row("fast", 1, "us", 1, 2), Row("slow", 3, "us", 1, 2)]))
    assert table.run(("http",), as_json=True) is False
    rows = json.loads(capsys.readouterr().out)
    assert [(row["group"], row["name"], row["ok"]) for row in rows] == [("http", "fast", True), ("http", "slow", False)]
    assert table.run(("http",), as_json=False) is False
    assert "NO" in capsys.readouterr().out


def test_the_chain_group_has_the_rows_of_every_source(monkeypatch: pytest.MonkeyPatch) -> None:
    """One after the other, forks on the shipped suite and lookups on snapshots of their own."""
    asked = []

    def source(name: str) -> Callable[[str], Iterator[Row]]:
        def rows(suite: str) -> Iterator[Row]:
            asked.append((name, suite))
            return iter([Row(name, 1, "us", 1)])

        return rows

    for name in ("chain", "fork", "many_forks"):
        monkeypatch.setattr(f"caia_replay.bench.{name}.rows", source(name))
    monkeypatch.setattr("caia_replay.bench.lookup.rows", lambda: iter([Row("lookup", 1, "us", 1)]))
    assert [row.name for row in table.GROUPS["chain"]()] == ["chain", "fork", "many_forks", "lookup"]
    assert asked == [("chain", "mini-6"), ("fork", "mini-6"), ("many_forks", "mini-6")]
