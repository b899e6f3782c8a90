"""What a plan is made for: CAIA's own file or the suite that was imported from it, with the same outcome."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from caia_replay.errors import BadInput
from caia_replay.interop.caia_format import read_rows
from caia_replay.interop.caia_suite import import_caia
from caia_replay.interop.planned import planned_tasks, wanted_requests

ROWS = (
    ("1", "Give the timestamp of Ethereum block 19,000,001", "2024-01-13 20:01:23 UTC", "onchain analysis"),
    ("2", "How many wallets hold Quetzal on Solana?", "12", "onchain analysis"),
    ("3", "Who leads Zanzibarium?", "Quetzal Labs", "project discovery"),
)
GOLD = """
[[row]]
id = "1"
question = "{0}"
moment = "fixed"
result = "$1.time_utc"
steps = [{{ tool = "block_query", arguments = {{ block = 19000001 }} }}]
[[row]]
id = "2"
question = "{1}"
moment = "anchor"
why_not = "no provider"
note = "holders are an index's"
needs = ["Solana token index"]
requests = [{{ method = "POST", url = "https://api.mainnet-beta.solana.com", body = '{{"id": 1}}' }}]
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "in.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("id", "question", "answer", "category"), *ROWS])
    digests = [row.question_digest.removeprefix("sha256:") for row in read_rows(path)]
    (tmp_path / "gold").mkdir()
    (tmp_path / "gold" / "rows_a.toml").write_text(GOLD.format(*digests))
    return path


def test_the_file_and_its_import_are_planned_alike(source: Path, tmp_path: Path) -> None:
    """Chains, reasons, needs and requests survive the draft suite."""
    gold = tmp_path / "gold"
    import_caia(source, tmp_path / "cassettes" / "mine", gold)
    of_file = planned_tasks(source, gold)
    assert planned_tasks(tmp_path / "cassettes" / "mine") == of_file
    assert [(task.id, task.why_not, task.anchor_kind, task.moment) for task in of_file] == [
        ("caia-001", "", "block", "fixed"),
        ("caia-002", "no provider", "assumed", "anchor"),
        ("caia-003", "not anchored", "assumed", "fixed"),
    ]
    assert of_file[1].needs == ("Solana token index",) and of_file[1].requests[0].body == b'{"id": 1}'


def test_what_an_import_wants_recorded_is_found_by_task(source: Path, tmp_path: Path) -> None:
    """And nothing where nothing was imported."""
    import_caia(source, tmp_path / "mine", tmp_path / "gold")
    assert [one.url for one in wanted_requests(tmp_path / "mine", "caia-002")] == [
        "https://api.mainnet-beta.solana.com"
    ]
    assert wanted_requests(tmp_path / "mine", "caia-001") == ()
    assert wanted_requests(tmp_path, "caia-002") == ()


def test_what_is_neither_is_one_line(tmp_path: Path) -> None:
    """A folder without a world, or a report that was broken."""
    with pytest.raises(BadInput):
        planned_tasks(tmp_path)
    (tmp_path / "import.json").write_text("[]")
    with pytest.raises(BadInput, match="no report of an import"):
        wanted_requests(tmp_path, "caia-001")
