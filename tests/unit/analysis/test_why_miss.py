"""What missed in a finished run, how often, and the nearest that is recorded."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from caia_replay.analysis.why_miss import chain_difference, why_miss
from caia_replay.core.task import Task
from caia_replay.core.tool import Served, ToolReply
from caia_replay.errors import BadInput
from caia_replay.runner.certificate import Certifying
from caia_replay.runner.plan import make_plan
from caia_replay.runner.replay import replay
from caia_replay.store.plain import thawed
from caia_replay.store.world_folder import open_world
from caia_replay.tools.catalog import WorldToolset
from caia_replay.world.world import FrozenWorld
from tests.finished_run import rewritten

PAGE = "https://blog.mareskal.example/first-month"


@pytest.fixture(scope="module")
def root(shipped: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the shipped world, and a small finished run of it in ``run``: it missed nothing."""
    top = tmp_path_factory.mktemp("why")
    for name in ("cassettes/mini-6", "chain_snapshots/mini"):
        shutil.copytree(shipped.parents[1] / name, top / name)
    folder = open_world(str(top / "cassettes" / "mini-6"))
    plan = make_plan(folder, tasks=folder.suite.active()[:1], arms=("clean",), model="policy/oracle", runs=2)
    replay(plan, folder, top / "run", workers=1, resume=False, replace=False)
    return top


@pytest.fixture
def copy(root: Path, tmp_path: Path) -> Path:
    """A copy of world and run, free to be changed."""
    return Path(shutil.copytree(root, tmp_path / "copy"))


def calls(root: Path, *asked: tuple[str, dict[str, Any], int]) -> None:
    """Make tool calls in the first task's world and add them, as they were served, to the steps of the run."""
    folder = open_world(str(root / "cassettes" / "mini-6"))
    task: Task = folder.task(folder.suite.active()[0])
    made: list[tuple[int, dict[str, Any]]] = []
    with FrozenWorld(folder) as world:
        tools = WorldToolset(world.task(task))
        for tool, arguments, attempt in asked:
            text = json.dumps(arguments)
            made.append((attempt, step(tool, text, tools.call(tool, text))))
    rewritten(root / "run", lambda run: run["steps"].extend(one for at, one in made if at == run["attempt"]))


def step(tool: str, arguments: str, reply: ToolReply) -> dict[str, Any]:
    """A call as a record has it."""
    told = {"served": str(reply.served), "shown": thawed(reply.shown()), "nearest": reply.nearest, "altered_by": []}
    told |= {"missed": thawed(reply.error)} if reply.served is Served.MISS else {}
    return {"kind": "tool", "turn": 1, "call_id": "c", "tool": tool, "arguments": arguments, **told}


def told(root: Path, start: Path | None = None) -> list[str]:
    return list(why_miss(root / "run", start or root))


def test_a_run_without_misses_says_so(root: Path, tmp_path: Path) -> None:
    """Nothing is explained where nothing missed, and the total is still the last line; what is no run is refused."""
    assert told(root) == [f"{root / 'run'}: no call missed", "0 misses, 0 distinct"]
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(BadInput, match="not a finished run folder"):
            list(why_miss(path, tmp_path))


def missed(copy: Path, tool: str, arguments: str, error: Any, *nearest: str) -> None:
    """The run's steps are one miss in each attempt that a nearest row is given for."""
    rows = [step(tool, arguments, ToolReply(Served.MISS, None, error, nearest=near)) for near in nearest or ("",)]
    rewritten(copy / "run", lambda run: run.update(steps=rows[run["attempt"] - 1 : run["attempt"]]))


def test_a_page_miss_names_the_nearest_pages_and_the_field(copy: Path) -> None:
    """Equal misses are one entry with its count; three neighbours follow, the first with the one field that differs."""
    calls(copy, *[("url_fetching", {"url": PAGE[:-1], "cursor": 0}, attempt) for attempt in (1, 2)])
    lines = told(copy)
    assert lines[0] == f'2 x url_fetching {{"cursor":0,"url":"{PAGE[:-1]}"}}'
    assert lines[1] == f"  page not recorded: {PAGE[:-1]}"
    assert lines[2].endswith(", clean-tools, attempts 1, 2")
    assert lines[3:5] == [f"  1. {PAGE}", "       path: wanted '/first-mont', recorded '/first-month'"]
    assert [line[:5] for line in lines if line[:4] in ("  1.", "  2.", "  3.", "  4.")] == ["  1. ", "  2. ", "  3. "]
    assert lines[-1] == "2 misses, 1 distinct"


def test_the_most_frequent_miss_comes_first(copy: Path) -> None:
    """Order is by count; a search is no miss, a page of tomorrow is one; white space makes no second miss."""
    other = PAGE.replace("blog", "blgo")
    asked = [("url_fetching", {"url": url}, 1) for url in (PAGE, PAGE + "s", other, other)]
    calls(copy, ("web_search", {"query": "month"}, 1), *asked)

    def widen(run: dict[str, Any]) -> None:
        run["steps"][-1]["arguments"] = run["steps"][-1]["arguments"].replace('": ', '":    ')

    rewritten(copy / "run", lambda run: widen(run) if run["attempt"] == 1 else None)
    lines = told(copy)
    assert [line.split(" ")[0] for line in lines if " x url_fetching " in line] == ["2", "1", "1"]
    assert sum(line.startswith("       the same question: dated after") for line in lines) == 1
    assert "       host: wanted 'blgo.mareskal.example', recorded 'blog.mareskal.example'" in lines
    assert lines[-1] == "4 misses, 3 distinct"


def test_a_chain_miss_tells_the_row_the_snapshot_named(copy: Path) -> None:
    """An account nobody recorded: the nearest row as the run noted it, and which part differs."""
    wanted, near = "0x" + "11" * 20, "0x" + "22" * 20
    error = {"type": "not_recorded", "kind": "account", "message": f"not recorded: {wanted}"}
    missed(copy, "balance_query", "{}", error, f"address {near}, known for blocks 3 to 9", "")
    lines = told(copy)
    assert f"  account not recorded: {wanted}" in lines
    assert lines.index(f"  nearest: address {near}, known for blocks 3 to 9") + 1 == lines.index("  differs: address")
    assert "  nearest: the snapshot named nothing" in lines
    assert lines[-1] == "2 misses, 2 distinct"


def test_a_run_of_an_earlier_version_has_the_reason_in_what_was_shown(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder without the column ``missed``, as certificates before version 3 are of, is explained all the same."""
    missed(
        copy, "url_fetching", "{}", {"type": "not_recorded", "kind": "page", "message": f"not recorded: {PAGE[:-1]}"}
    )

    def earlier(run: dict[str, Any]) -> None:
        for one in run["steps"]:
            one["shown"] = {"error": one.pop("missed")}

    monkeypatch.setattr(Certifying.__init__, "__defaults__", (2,))
    rewritten(copy / "run", earlier)
    path = copy / "run" / "clean-tools" / "steps.parquet"
    assert pq.read_table(path)["missed"].null_count == 1
    pq.write_table(pq.read_table(path).drop_columns(["missed"]), path)
    assert f"  page not recorded: {PAGE[:-1]}" in told(copy)


def test_the_part_of_a_chain_miss_is_derived() -> None:
    """Each form in which a snapshot names its nearest row leads to the part that differs."""
    for wanted, nearest, part in (
        ("0xaa slot 0x01", "address 0xbb, slot 0x01, known for blocks 1 to 2", "address"),
        ("0xaa slot 0x01", "address 0xaa, slot 0x02, known for blocks 1 to 2", "slot"),
        ("0xaa slot 0x01", "address 0xaa, slot 0x01, known for blocks 1 to 2", "block"),
        ("0xaa", "no address is recorded at all", "table"),
        ("0xaa", "code_hash 0xbb", "hash"),
        ("7", "block_number 9", "block"),
        ("7", "8 to 9", "block"),
        ("7 with all transactions", "3 of its transactions are recorded", "claim"),
        ("eth_foo []", "eth_call, eth_getCode", "method"),
        ("0xaa", "", ""),
    ):
        assert chain_difference(wanted, nearest) == part


def test_http_misses_are_compared_by_identity_and_credentials_masked(copy: Path) -> None:
    """A request nobody recorded is told by the member of its body that differs; no key in it is repeated."""
    key, body = "9f8e7d6c5b4a", '{"num":100,"q":"no such query","apiKey":"SCRUBBED"}'
    error = {"kind": "http", "message": f"not recorded: POST https://google.serper.dev/search {body}"}
    missed(copy, "some_tool", f'{{"url":"https://x.example/?apikey={key}"}}', error)
    lines = told(copy)
    assert any(line.startswith("       body q: wanted '\"no such query\"', recorded ") for line in lines)
    assert key not in "\n".join(lines)


def test_without_its_world_a_run_tells_what_it_holds(copy: Path, tmp_path: Path) -> None:
    """The nearest page is the one the run noted, and the first line says that the world is not here."""
    calls(copy, ("url_fetching", {"url": PAGE[:-1]}, 1))
    run = json.loads((copy / "run" / "run.json").read_bytes())
    run["plan"]["world"] = str(tmp_path / "gone")
    (copy / "run" / "run.json").write_text(json.dumps(run))
    alone = Path(shutil.move(copy / "run", tmp_path / "elsewhere" / "run"))
    lines = list(why_miss(alone, tmp_path / "elsewhere"))
    assert "the world of suite mini-6 is not here" in lines[0]
    assert f"  nearest, as the run recorded it: {PAGE}" in lines
    assert "  1. " not in "\n".join(lines)
    assert list(why_miss(alone, copy))[3] == f"  1. {PAGE}"


@pytest.mark.parametrize(("name", "content", "said"), [
    ("index.json", b"{", "cannot be read as JSON"), ("index.json", b'{"cells": []}', "'suite' is no suite's name"),
    ("index.json", b'{"cells": [{"folder": "../x"}]}', "'cells'"), ("run.json", b"[]", "no JSON object"),
    ("clean-tools/steps.parquet", b"PAR1", "cannot be read as Parquet"),
    ("clean-tools/certificate.json", b"", "cannot be read as JSON"),
])  # fmt: skip
def test_a_damaged_folder_is_refused_in_one_line(copy: Path, name: str, content: bytes, said: str) -> None:
    """Each file that is read is named when it is not what it should be."""
    calls(copy, ("url_fetching", {"url": PAGE[:-1]}, 1))
    if b'"cells": []' in content:
        content = json.dumps({**json.loads((copy / "run" / name).read_bytes()), "suite": None}).encode()
    (copy / "run" / name).write_bytes(content)
    with pytest.raises(BadInput) as caught:
        told(copy)
    assert said in str(caught.value) and name in str(caught.value)


def test_a_miss_that_cannot_be_read_is_no_miss_to_be_left_out(copy: Path) -> None:
    """A call that says MISS and not of what is damage."""
    for error in (None, {"kind": "page"}, {"message": "x"}, "page"):
        missed(copy, "url_fetching", "{}", error)
        with pytest.raises(BadInput, match="MISS"):
            told(copy)
