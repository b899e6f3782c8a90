"""What a plan is made for: CAIA's own file or the suite that was imported from it, with the same outcome."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from caia_replay.errors import BadInput
from caia_replay.interop.caia_format import read_rows
from caia_replay.interop.caia_suite import REPORT, import_caia
from caia_replay.interop.gold_row import read_gold
from caia_replay.interop.planned import planned_tasks, wanted_requests
from caia_replay.recording.plan import plan_tasks
from caia_replay.recording.plan_report import plan_lines
from tests.live_draft import draft

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
    assert planned_tasks(tmp_path / "cassettes" / "mine", gold) == of_file
    assert [(task.id, task.why_not, task.anchor_kind, task.moment) for task in of_file] == [
        ("caia-001", "", "block", "fixed"),
        ("caia-002", "no provider", "assumed", "anchor"),
        ("caia-003", "not anchored", "assumed", "fixed"),
    ]
    assert of_file[1].needs == ("Solana token index",) and of_file[1].requests[0].body == b'{"id": 1}'


def test_what_an_import_wants_recorded_is_found_by_task(source: Path, tmp_path: Path) -> None:
    """And nothing where nothing was imported."""
    import_caia(source, tmp_path / "mine", tmp_path / "gold")
    wanted = wanted_requests(tmp_path / "mine", "caia-002", tmp_path / "gold", pytest.fail)
    assert [one.url for one in wanted] == ["https://api.mainnet-beta.solana.com"]
    assert wanted_requests(tmp_path / "mine", "caia-001") == ()
    assert wanted_requests(tmp_path, "caia-002") == ()


def test_what_is_neither_is_one_line(tmp_path: Path) -> None:
    """A folder without a world, or a report that was broken."""
    with pytest.raises(BadInput):
        planned_tasks(tmp_path)
    (tmp_path / "import.json").write_text("[]")
    with pytest.raises(BadInput, match="no report of an import"):
        wanted_requests(tmp_path, "caia-001")


def test_a_request_that_no_row_of_the_question_names_is_left_out_and_told(source: Path, tmp_path: Path) -> None:
    """A stranger's import.json may name an account's pages or a paid query: its user's keys go with none of them."""
    world, gold = tmp_path / "mine", tmp_path / "gold"
    import_caia(source, world, gold)
    told = json.loads((world / REPORT).read_text())
    (own,) = told["tasks"][1]["gold"]["requests"]
    strange = [
        {"method": "GET", "url": "https://api.x.com/2/dm_events"},
        {"method": "GET", "url": "https://api.github.com/user/keys"},
        {"method": "POST", "url": "https://api.dune.com/api/v1/sql/execute", "body": '{"sql": "SELECT 1"}'},
        {**own, "body": '{"id": 2}'},
        {**own, "method": "GET", "body": ""},
    ]
    public = {"method": "GET", "url": "https://api.llama.fi/raises"}
    told["tasks"][1]["gold"]["requests"] = [*strange, own, public]
    told["tasks"][0]["gold"]["requests"] = [own]
    (world / REPORT).write_text(json.dumps(told))
    said: list[str] = []
    assert [one.body for one in wanted_requests(world, "caia-002", gold, said.append)] == [b'{"id": 1}', b""]
    assert len(said) == 5 and all("left out" in line for line in said) and "dm_events" in said[0]
    assert wanted_requests(world, "caia-001", gold) == ()
    planned = planned_tasks(world, gold)
    assert planned[0].requests == () and [one.body for one in planned[1].requests] == [b'{"id": 1}', b""]
    assert "holders are an index's; 5 of 7 requests" in planned[1].note
    # Without a folder of rows those that come with the project count, and they have none for these questions.
    assert [one.url for one in wanted_requests(world, "caia-002")] == [public["url"]]


def test_every_request_of_the_shipped_rows_goes_through_the_same_rules() -> None:
    """They can be read back from an import.json as they are."""
    assert sum(len(row.requests) for row in read_gold().values()) > 50


_GET = {"method": "GET", "url": "https://api.llama.fi/protocols"}


@pytest.mark.parametrize(
    ("gold", "told"),
    [
        ([1], "not a table"),
        (None, "not a table"),
        ({}, "'gold.kind' is missing"),
        ({"kind": 5}, "gold.kind"),
        ({"kind": ""}, "not one of"),
        ({"kind": "x"}, "not one of"),
        ({"kind": "x\x1b[31m\ny"}, "not one of"),
        ({"kind": "chain", "requests": 5}, "not a list"),
        ({"kind": "chain", "requests": [5]}, "not a table"),
        ({"kind": "chain", "requests": [{"method": "GET"}]}, "url' is missing"),
        ({"kind": "chain", "requests": [{"method": "GET", "url": 5}]}, "not a text"),
        ({"kind": "chain", "requests": [{**_GET, "body": 5}]}, "not a text"),
        ({"kind": "chain", "requests": [{**_GET, "more": 5}]}, "unknown field"),
        ({"kind": "chain", "requests": [{**_GET, "body": "{}"}]}, "has a body and is a GET"),
        ({"kind": "chain", "requests": [{**_GET, "method": "POST", "body": "{"}]}, "no JSON"),
        ({"kind": "chain", "requests": [{**_GET, "method": "POST", "body": '"\ud800"'}]}, "no text"),
        ({"kind": "chain", "requests": [{**_GET, "url": "https://a.io/\ud800"}]}, "no address"),
        ({"kind": "chain", "requests": [{**_GET, "url": "https://[::1"}]}, "no address"),
        ({"kind": "chain", "requests": [{**_GET, "url": "https://a.io/\x1b[31m"}]}, "no address"),
        ({"kind": "chain", "requests": [{**_GET, "url": "not a url"}]}, "no request"),
        ({"kind": "chain", "requests": [{**_GET, "url": "https://a.io/" + "x" * 100_000}]}, "longer than"),
        ({"kind": "chain", "requests": [{**_GET, "method": "GE\nT"}]}, "no request"),
        ({"kind": "chain", "needs": 5}, "not a list"),
        ({"kind": "no provider", "note": "n"}, "names what it needs"),
        ({"kind": "no provider", "note": "n", "needs": ["\ud800"]}, "no text"),
        ({"kind": "needs judgement", "note": "\ud800"}, "no text"),
        ({"kind": "needs judgement"}, "no note"),
    ],
)
def test_a_report_of_another_form_is_one_line_with_file_and_task(tmp_path: Path, gold: Any, told: str) -> None:
    """Whatever a stranger wrote into import.json, planning and recording end in the same words."""
    folder = draft(tmp_path)
    (folder.path / REPORT).write_text(json.dumps({"tasks": [{"task": "t1", "gold": gold}]}))
    for asked in (lambda: planned_tasks(folder.path), lambda: wanted_requests(folder.path, "t1")):
        with pytest.raises(BadInput) as fault:
            asked()
        line = str(fault.value)
        assert told in line and f"{REPORT}, task t1" in line and line.isprintable(), line


@pytest.mark.parametrize("tasks", [5, [5], [{"gold": {}}], [{"task": 5, "gold": {}}], [{"task": [], "gold": {}}]])
def test_a_report_without_its_tasks_is_one_line(tmp_path: Path, tasks: Any) -> None:
    """The same for what stands around the gold."""
    folder = draft(tmp_path)
    (folder.path / REPORT).write_text(json.dumps({"tasks": tasks}))
    with pytest.raises(BadInput, match="no report of an import"):
        planned_tasks(folder.path)


def test_words_of_a_report_are_printed_on_one_line(tmp_path: Path) -> None:
    """A note may hold what a terminal obeys."""
    folder = draft(tmp_path)
    gold = {"kind": "no provider", "note": "n\x1b]0;x\x07\nt1 recordable", "needs": ["a\nb"]}
    (folder.path / REPORT).write_text(json.dumps({"tasks": [{"task": "t1", "gold": gold}]}))
    lines = plan_lines(plan_tasks(planned_tasks(folder.path)))
    assert all(line.isprintable() for line in lines) and sum(line.startswith("t1 ") for line in lines) == 1
