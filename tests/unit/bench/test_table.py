import json

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
