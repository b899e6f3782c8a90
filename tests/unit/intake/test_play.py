"""A person plays at the page: what a run folder holds then, what nobody may learn or do there, what a stop keeps."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path
from typing import Any

import httpx2
import pytest

from caia_replay.analysis.audit import audit
from caia_replay.analysis.finished_run import open_run
from caia_replay.canonical import strict_json
from caia_replay.cli.person import seated
from caia_replay.core.tool import ToolSpec
from caia_replay.errors import BadInput, Interrupted
from caia_replay.intake.tool_form import field_name, read_arguments
from caia_replay.runner.plan import make_plan
from caia_replay.runner.replay import replay
from caia_replay.store.person_diary import PERSON, TYPED, read_events
from caia_replay.store.results import read_table
from caia_replay.store.world_folder import open_world
from caia_replay.tools.catalog import CATALOG
from tests.cli_shell import Shell
from tests.person_play import Played, title_of, turn_of

TASKS = ("mini6-supply", "mini6-base-fee-bound")
EVIL = "</textarea></pre><script>alert(1)</script><img src=x onerror=alert(2)>\" onfocus='alert(3)' {{7*7}} &lt;b>"


def begun(out: Path, world: Path, **plan: Any) -> Played:
    return Played(out, world, tasks=plan.pop("tasks", TASKS), arms=plan.pop("arms", ("clean", "attacked")), **plan)


def play_all(played: Played, answers: dict[str, str]) -> None:
    """Answer all that is left: a search for the first words of each question, then the answer."""
    if title_of(played.page()) == "Before you begin":
        played.post("consent")
    while "Question" in title_of(page := played.page()):
        task = played.task(page)
        page = played.post("call web_search", arg__web_search__query=task).text
        assert "You called web_search" in page
        played.post("answer", answer=answers.get(task, "1"))


def test_a_persons_run_folder_is_like_a_models(shipped: Path, tmp_path: Path) -> None:
    """Both arms are played by the page alone; the audit proves the folder, and clock and name are where they belong."""
    right = {task: "; ".join(Played(tmp_path / "x", shipped).folder.task(task).answer.values) for task in TASKS}
    with begun(tmp_path / "run", shipped) as played:
        play_all(played, right)
        played.end()
    for cell in ("clean-tools", "attacked-tools"):
        rows = read_table(tmp_path / "run" / cell / "results.parquet")
        assert [(row["task"], row["correct"], row["calls"]) for row in rows] == [(task, True, 1) for task in TASKS]
        certificate = json.loads((tmp_path / "run" / cell / "certificate.json").read_text())
        assert certificate["model"]["name"] == "human/ana"
        assert not re.search(r"\d{2}:\d{2}:\d{2}\.", json.dumps(certificate))
    assert audit(open_run(tmp_path / "run", shipped.parents[1]), 1, lambda more: None) is None
    told = json.loads((tmp_path / "run" / "run.json").read_text())
    assert "host" not in told
    events = read_events(tmp_path / "run")
    assert [one["did"] for one in events if one["event"] == "said"] == ["call", "answer"] * 4
    assert events[0]["event"] == "consent"
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", one["at"]) for one in events)
    assert not (tmp_path / "run" / TYPED).exists()


def test_no_page_tells_the_arm(shipped: Path, tmp_path: Path) -> None:
    """The first page of a task is the same in every arm, but for its number; consent comes before any question."""
    pages: dict[str, list[str]] = {}
    with begun(tmp_path / "run", shipped) as played:
        assert title_of(played.page()) == "Before you begin"
        assert title_of(played.post("answer", turn="x", answer="1").text) == "Before you begin"
        played.post("consent")
        for _ in range(played.plan.size):
            page = played.page()
            task = played.task(page)
            pages.setdefault(task, []).append(re.sub(r"Question \d of 4|value=\"[\w-]{16}\"", "", page))
            played.post("none")
        played.end()
    assert {task: (len(own), len(set(own))) for task, own in pages.items()} == {task: (2, 1) for task in TASKS}
    assert not re.search("clean|attacked|planted|campaign", "".join(map("".join, pages.values())))


def test_a_stopped_run_goes_on_where_it_was(shipped: Path, tmp_path: Path) -> None:
    """After a stop the page shows the calls made before, and the run folder is that of a person who never stopped."""
    with begun(tmp_path / "whole", shipped, tasks=TASKS[:1], arms=("clean",)) as played:
        play_all(played, {})
        whole = played.end()
    with begun(tmp_path / "parts", shipped, tasks=TASKS[:1], arms=("clean",)) as played:
        played.post("consent")
        played.post("call web_search", arg__web_search__query=TASKS[0])
        played.put("/typed", turn=turn_of(played.page()), answer="A whole sentence.")
        assert title_of(played.post("stop").text) == "The end"
        played.stopped()
    with begun(tmp_path / "parts", shipped, tasks=TASKS[:1], arms=("clean",), resume=True) as played:
        page = played.page()
        assert "You called web_search" in page
        assert 'name="answer" value="A whole sentence."' in page
        played.post("answer", answer="1")
        parts = played.end()
    assert [one["digest"] for one in parts.summaries] == [one["digest"] for one in whole.summaries]


def test_a_diary_cut_off_by_a_kill_loses_half_a_line(shipped: Path, tmp_path: Path) -> None:
    """Half an event at the end of the diary is dropped; the events before it still count."""
    with begun(tmp_path / "run", shipped, tasks=TASKS[:1], arms=("clean",)) as played:
        played.post("consent")
        played.post("call web_search", arg__web_search__query="x")
        played.post("stop")
        played.stopped()
    path = tmp_path / "run.partial" / PERSON
    path.write_bytes(path.read_bytes() + b'{"at": "2026-01-01", "eve')
    with begun(tmp_path / "run", shipped, tasks=TASKS[:1], arms=("clean",), resume=True) as played:
        assert "You called web_search" in played.page()
        played.post("none")
        played.end()
    assert [one["event"] for one in read_events(tmp_path / "run")].count("said") == 2


def test_a_form_does_nothing_twice(shipped: Path, tmp_path: Path) -> None:
    """A button of a page that is out of date is told so and changes nothing; a wrong form costs no turn."""
    with begun(tmp_path / "run", shipped, tasks=TASKS[:1], arms=("clean",)) as played:
        played.post("consent")
        old = turn_of(played.page())
        played.post("call web_search", turn=old, arg__web_search__query="x")
        again = played.post("call web_search", turn=old, arg__web_search__query="x")
        assert (again.status_code, again.text.count("You called web_search")) == (409, 1)
        wrong = played.post("call web_search", arg__web_search__query="x", arg__web_search__limit="many")
        assert wrong.status_code == 422
        assert "limit: a whole number is wanted, not &#x27;many&#x27;" in wrong.text
        assert ">\nmany</textarea>" in wrong.text
        assert played.post("answer", answer=" ** ").status_code == 422
        assert played.post("call nothing").status_code == 422
        assert turn_of(wrong.text) == turn_of(played.page())
        played.post("none")
        played.end()
    (row,) = read_table(tmp_path / "run" / "clean-tools" / "results.parquet")
    assert (row["calls"], row["stop"]) == (1, "no_answer")


def test_hostile_text_is_text(shipped: Path, tmp_path: Path) -> None:
    """What is typed into every field comes back as text alone, and the answer is kept to the letter, on one line."""
    with begun(tmp_path / "run", shipped, tasks=TASKS[:1], arms=("clean",)) as played:
        played.post("consent")
        fields = re.findall(r'name="(arg [^"]+)"', played.page())
        filled = {name.replace(" ", "__"): EVIL for name in fields}
        page = played.post("keep", answer=EVIL, **filled).text
        called = played.post("call web_search", answer=EVIL, arg__web_search__query=EVIL).text
        for shown in (page, called):
            assert "<script>alert" not in shown
            assert "<img" not in shown
        assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") > 50
        played.post("answer", answer=f"{EVIL}\r\n{EVIL}\u202e")
        played.end()
    (row,) = read_table(tmp_path / "run" / "clean-tools" / "results.parquet")
    assert row["answer"].startswith(f"{EVIL} {EVIL}")


def test_strangers_can_neither_read_nor_write(shipped: Path, tmp_path: Path) -> None:
    """Another host name, another origin and a form without an origin are refused at every address."""
    with begun(tmp_path / "run", shipped) as played:
        played.post("consent")
        turn = turn_of(played.page())
        form = {"do": "none", "turn": turn}
        for path in ("/", "/typed", "/clicks", "/page.js"):
            assert played.client.get(path, headers={"host": "evil.example"}).status_code == 421
            assert played.client.get(path, headers={"origin": "http://evil.example"}).status_code == 403
        assert played.client.post("/", data=form).status_code == 415
        assert played.client.post("/", data=form, headers={"origin": "http://127.0.0.1:1"}).status_code == 403
        cross = {"origin": played.url, "sec-fetch-site": "cross-site"}
        assert played.client.put("/typed", json={"turn": turn}, headers=cross).status_code == 403
        assert turn_of(played.page()) == turn
        policy = played.client.get("/").headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
    assert [one["event"] for one in read_events(tmp_path / "run.partial")] == ["consent", "shown"]


def test_clicks_are_kept_without_anything_typed(shipped: Path, tmp_path: Path) -> None:
    """Names of controls and milliseconds are kept for the turn that is asked; nothing else that a page may send is."""
    with begun(tmp_path / "run", shipped) as played:
        played.post("consent")
        turn = turn_of(played.page())
        sent = [["button keep", 12], ["x" * 500, 13], ["a", "b"], {"a": 1}, ["typed", 1, 2], [None, 3]]
        assert played.put("/clicks", turn=turn, clicks=sent).status_code == 204
        assert played.put("/clicks", turn="old", clicks=sent).status_code == 409
        assert played.put("/clicks", turn=turn, clicks="all").status_code == 409
        assert played.put("/typed", turn=turn, answer="x" * 300_000).status_code == 422
        assert (
            played.client.put("/typed", content="[1]", headers={"content-type": "application/json"}).status_code == 400
        )
    kept = [one["clicks"] for one in read_events(tmp_path / "run.partial") if one["event"] == "clicks"]
    assert kept == [[["button keep", 12], ["x" * 120, 13]]]


SCHEMA = {
    "type": "object",
    "properties": {
        "block": {"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}]},
        "share": {"anyOf": [{"type": "number"}, {"type": "null"}]},
        "full": {"type": "boolean"},
        "names": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
        "ids": {"type": "array", "items": {"type": "integer"}},
        "code": {"type": "string"},
    },
}
FORM = ToolSpec("t", "A tool.", SCHEMA, "technical", "authoritative")


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ({}, {}),
        ({"block": " 12 ", "share": "0.5", "full": "no"}, {"block": 12, "share": 0.5, "full": False}),
        ({"block": "0x1f"}, {"block": "0x1f"}),
        ({"names": "a\nb c\n"}, {"names": ["a", "b c"]}),
        ({"names": '["a", "b"]', "ids": "1\n2"}, {"names": ["a", "b"], "ids": [1, 2]}),
        ({"code": "  x = 1\n  y = 2\n"}, {"code": "  x = 1\n  y = 2\n"}),
    ],
)
def test_what_is_typed_becomes_what_a_model_would_write(typed: dict[str, str], wanted: dict[str, Any]) -> None:
    """Numbers, flags, lists and texts as the schema has them; an empty field is left out."""
    fields = {field_name("t", name): text for name, text in typed.items()}
    assert strict_json(read_arguments(FORM, fields)) == wanted


@pytest.mark.parametrize(("name", "text"), [("share", "much"), ("full", "maybe"), ("names", "[1"), ("ids", "1\nx")])
def test_what_cannot_be_read_names_its_field(name: str, text: str) -> None:
    """A value of another kind is refused with the name of the field."""
    with pytest.raises(BadInput, match=f"{name}: "):
        read_arguments(FORM, {field_name("t", name): text})


def test_every_tool_can_be_filled_in(shipped: Path, tmp_path: Path) -> None:
    """The page has a field for every parameter of every tool."""
    with begun(tmp_path / "run", shipped) as played:
        played.post("consent")
        found = set(re.findall(r'name="arg ([^"]+)"', played.page()))
    assert found == {f"{name} {one}" for name, tool in CATALOG.items() for one in tool.spec.parameters["properties"]}


def test_refusals_of_the_command(shell: Shell, tmp_path: Path) -> None:
    """No name, another agent, several at once, and a folder where somebody has begun: one line, exit 2."""
    for more, said in (
        (["--model", "human/"], "is no person's name"),
        (["--model", "human/a b"], "is no person's name"),
        (["--model", "human/ana", "--agent", "caia"], "people play with the agent 'react'"),
        (["--model", "human/ana", "--concurrency", "2"], "one run at a time"),
        (["--model", "human/ana", "--shard", "1/2"], "one run at a time"),
        (["--model", "human/ana", "--record-model", "x"], "no live traffic"),
        (["--draw", "7"], "'7' is no part of 6 tasks"),
        (["--draw", "tenth", "--task", "mini6-supply"], "tasks are named or drawn"),
    ):
        code, _, fault = shell("replay", "--suite", "mini-6", "--out", tmp_path / "run", *more)
        assert (code, said in fault, fault.count("\n")) == (2, True, 1), fault
    (tmp_path / "run.partial").mkdir()
    (tmp_path / "run.partial" / PERSON).write_text('{"event": "said"}\n')
    code, _, fault = shell("replay", "--suite", "mini-6", "--out", tmp_path / "run", "--model", "human/ana")
    assert (code, "a person has begun to play there" in fault) == (2, True)
    assert (tmp_path / "run.partial" / PERSON).exists()


def test_the_last_turn_has_no_tools(shipped: Path, tmp_path: Path) -> None:
    """With two turns one call can be made; without tools there is only the answer."""
    with begun(tmp_path / "run", shipped, tasks=TASKS[:1], arms=("clean",), turns=2) as played:
        played.post("consent")
        assert "You can make 1 more call." in played.page()
        page = played.post("call web_search", arg__web_search__query="x").text
        assert "This was the last call you could make" in page and 'class="tool"' not in page
        assert played.post("answer", answer="1").status_code == 200
        played.end()
    with begun(tmp_path / "bare", shipped, tasks=TASKS[:1], arms=("clean",), conditions=("no-tools",)) as played:
        page = played.post("consent").text
        assert "There are no tools for this question." in page and 'class="tool"' not in page
        played.post("none")
        assert played.end().summaries[0]["condition"] == "no-tools"


def test_a_draw_is_played_by_anybody(shell: Shell) -> None:
    """A model plays the tasks that the seed draws, the same every time."""
    told = []
    for out in ("a", "b"):
        words = ("--draw", "2", "--seed", "4", "--arm", "clean", "--runs", "1", "--out", out)
        code, said, _ = shell("replay", "--suite", "mini-6", *words)
        assert (code, "1 run of 2 tasks" in said) == (0, True)
        told.append([row["task"] for row in read_table(Path(out) / "clean-tools" / "results.parquet")])
    assert told[0] == told[1] and len(set(told[0])) == 2


def test_a_finished_person_is_told_before_the_page(shell: Shell, tmp_path: Path) -> None:
    """Where a finished run lies the command says so at once: no page is served, and nothing is left behind."""
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "index.json").write_text("{}")
    code, out, fault = shell("replay", "--suite", "mini-6", "--out", tmp_path / "run", "--model", "human/ana")
    assert (code, "a finished run is there" in fault, "in a browser" in out) == (2, True, False), fault
    assert not (tmp_path / "run.partial").exists()


def test_who_does_not_agree_leaves_nothing(shipped: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The page and the command say in their own words that nothing was asked, and the journal is gone."""
    folder, told = open_world(str(shipped)), list[str]()
    plan = make_plan(folder, model="human/ana", runs=1, tasks=TASKS, arms=("clean",))

    def refuse(url: str) -> None:
        for _ in range(60):  # a page waits for the first turn, and asks again
            if "I do not agree" in httpx2.get(f"{url}/", timeout=60).text:
                break
        told.append(httpx2.post(f"{url}/", data={"do": "decline"}, headers={"origin": url}, timeout=60).text)

    with (
        pytest.raises(Interrupted, match="nothing is kept"),
        seated(plan, tmp_path / "run", "again", resume=False) as (person, ended),
    ):
        page = threading.Thread(target=refuse, args=(capsys.readouterr().out.split()[1].rstrip("/"),))
        page.start()
        try:
            replay(plan, folder, tmp_path / "run", workers=1, resume=False, replace=False, person=person, watch=ended)
        finally:
            page.join()
    assert "You did not agree. Nothing was asked, and nothing is kept." in told[0]
    assert not list(tmp_path.glob("run*"))
