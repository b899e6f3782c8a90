"""``record --refresh`` for HTTP: a world's requests asked again, what differs, and which gold answers would change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from caia_replay.recording.ask_again import AskAgain, Asking, RepeatedRequest
from caia_replay.recording.world_drift import AnswerDrift, in_place_of
from caia_replay.store.world_folder import seal_world
from tests import loan_library
from tests.cli_shell import Shell
from tests.loan_library import LOANS, ORIGIN, TOOLS, library, write_world
from tests.published_world import page, serving, unchanged, whole

KEY = "Tk9fQ7zLmX4vB2nR8wY3"
AGES = """id = "age"
question = "For how many days has Ulysses been lent?"
category = "general knowledge"
language = "en"
shape = "loan"
stake_usd = "0"
stake_reason = "Nothing depends on it."
canary = "caia-replay canary 00000000-0000-4000-8000-000000000002"
anchor = { chain = "none", block = -1, timestamp = 1700000000 }
answer = { kind = "number", values = ["90"], unit = "days" }
gold = { result = "$1.value", steps = [{ tool = "days_lent", arguments = { title = "Ulysses" } }] }
"""
VOLATILE = '[[volatile]]\nhost = "api.library.example"\nfields = ["body.loans.*.fine_eur"]\nwhy = "fines grow daily"\n'


@pytest.fixture
def world(tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two tasks about the library, recorded with a key: one reads its list of loans, one its search."""
    monkeypatch.setenv("LIBRARY_KEY", KEY)
    made = write_world(tmp_path)
    (made / "tools.toml").write_text(TOOLS.replace('["code_execution"]', '["url_fetching"]'))
    suite = (made / "suite.toml").read_text()
    entry = '[[entries]]\nid = "age"\nadded = "2026-11-21"\n\n'
    (made / "suite.toml").write_text(suite.replace("[recipes]", f"{entry}[recipes]"))
    (made / "tasks" / "age").mkdir()
    (made / "tasks" / "age" / "task.toml").write_text(AGES)
    lines = (f"{ORIGIN}/loans", f"{ORIGIN}/loans/7", f'POST {ORIGIN}/search {{"title": "Ulysses"}}')
    (tmp_path / "urls.txt").write_text("\n".join(lines))
    with library() as here:
        asked = ("--map", f"{ORIGIN}={here}", "--header", "X-API-Key=LIBRARY_KEY")
        code, _, err = shell("record", "--urls", tmp_path / "urls.txt", "--suite", made, *asked)
    assert (code, err) == (0, "")
    return made


@pytest.fixture
def changed(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """The library's entry for Ulysses, to be changed."""
    loans = [dict(loan) for loan in LOANS]
    monkeypatch.setattr(loan_library, "LOANS", loans)
    yield loans[1]


def bytes_of(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refreshed(shell: Shell, world: Path, *more: object) -> tuple[int, list[str], str]:
    """The command against the library as it is now; nothing in the world's folder may change."""
    before = bytes_of(world)
    with library() as here:
        asked = ("record", "--refresh", "--suite", world, "--origin", "live", "--map", f"{ORIGIN}={here}")
        code, out, err = shell(*asked, *more)
    assert bytes_of(world) == before and KEY not in out + err
    return code, out.splitlines(), err


def test_an_unchanged_server_ends_with_0(shell: Shell, world: Path) -> None:
    """Every recorded request is asked, with its key's header, and counted as the same."""
    code, lines, err = refreshed(shell, world, "--header", "X-API-Key=LIBRARY_KEY")
    counts = "3 requests the same, 0 changed, 0 without an answer; 0 differ in volatile fields alone"
    assert (code, lines, err) == (0, [counts, "nothing was written"], "")


def test_a_changed_figure_names_its_field_and_the_answer(shell: Shell, world: Path, changed: dict[str, Any]) -> None:
    """The field with old and new value, and the one task whose answer it changes, from what to what."""
    changed["days"] = 91
    code, lines, _ = refreshed(shell, world)
    assert code == 1 and sum(line.startswith("changed: ") for line in lines) == 2
    assert any(line.endswith("/loans: body.loans.1.days 90 -> 91") for line in lines)
    answers = [line for line in lines if line.startswith("answer: ")]
    assert answers == ["answer: age: 90 -> 91 (not accepted, the suite expects 90)"]
    assert "1 of 2 gold answers would change" in lines


@pytest.mark.check
def test_an_answer_that_is_gone_is_told_with_its_step(shell: Shell, world: Path, changed: dict[str, Any]) -> None:
    """A gold chain that ends early says where; the other task is asked for alone and is as it was."""
    changed["title"] = "Middlemarch"
    code, lines, _ = refreshed(shell, world, "--task", "age")
    (told,) = (line for line in lines if line.startswith("answer: "))
    assert code == 1 and told.startswith("answer: age: 90 -> none (step 1 (days_lent) was ERROR")
    assert sum(line.startswith("changed: ") for line in lines) == 1 and "1 of 1 gold answer would change" in lines


def test_a_volatile_field_is_not_counted(shell: Shell, world: Path, changed: dict[str, Any]) -> None:
    """Where it alone differs the exit code is 0; beside another field both are told."""
    (world / "volatile.toml").write_text(VOLATILE)
    seal_world(world)
    changed["fine_eur"] = "13.00"
    code, lines, _ = refreshed(shell, world)
    assert code == 0 and lines[0].endswith("0 changed, 0 without an answer; 2 differ in volatile fields alone")
    assert "0 of 2 gold answers would change" in lines
    changed["days"] = 91
    assert refreshed(shell, world)[0] == 1


@pytest.mark.check
def test_an_answer_may_rest_on_a_volatile_field(shell: Shell, world: Path, changed: dict[str, Any]) -> None:
    """It is told, since the field was named by mistake or the task asks for what passes; the exit code stays 0."""
    (world / "volatile.toml").write_text(VOLATILE.replace("fine_eur", "days"))
    seal_world(world)
    changed["days"] = 91
    code, lines, _ = refreshed(shell, world)
    assert code == 0 and "these answers rest on volatile fields" in lines


def test_a_server_that_is_gone_is_one_line(shell: Shell, world: Path) -> None:
    """Exit code 2, and nothing is written."""
    before = bytes_of(world)
    with library() as here:
        pass
    code, out, err = shell("record", "--refresh", "--suite", world, "--origin", "live", "--map", f"{ORIGIN}={here}")
    assert (code, out, err.count("\n")) == (2, "", 1) and "nothing was answered" in err
    assert bytes_of(world) == before


@pytest.mark.check
@pytest.mark.parametrize(
    ("more", "why"),
    [
        ((), "api.library.example was asked with a key in the header x-api-key"),
        (("--rpc-url", "http://127.0.0.1:1"), "add --task ID"),
        (("--header", "X-Other=LIBRARY_KEY"), "no recorded request has the header 'X-Other'"),
        (("--header", "X-API-Key=NO_SUCH_VARIABLE"), "NO_SUCH_VARIABLE"),
        (("--task", "agee"), "nearest: age"),
        (("--hardfork", "cancun"), "records nothing"),
        (("--pool", "gpt-5"), "records nothing"),
    ],
    ids=["key", "node", "header", "variable", "task", "fork", "pool"],
)
def test_what_cannot_be_asked_is_one_line(shell: Shell, world: Path, more: tuple[str, ...], why: str) -> None:
    """Exit code 2, before anything is asked."""
    code, out, err = shell("record", "--refresh", "--suite", world, "--origin", "live", *more)
    assert (code, out, err.count("\n")) == (2, "", 1) and why in err


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (("--refresh", "--origin", "live"), "add --suite NAME"),
        (("--refresh", "--suite", "mini-6", "--origin", "live"), "grew from a seed"),
        (("--task", "a", "--task", "b", "--origin", "live"), "one is recorded at a time"),
    ],
    ids=["suite", "seed", "tasks"],
)
def test_a_world_that_nobody_can_ask_is_one_line(shell: Shell, more: tuple[str, ...], why: str) -> None:
    """No world is named, it grew from a seed, or several tasks are to be recorded at once."""
    code, out, err = shell("record", *more)
    assert (code, out, err.count("\n")) == (2, "", 1) and why in err


def test_a_hostile_answer_stays_on_one_line() -> None:
    """Line breaks and control characters of a reply do not reach the terminal."""
    line = AnswerDrift("a", "1", "2\n\x1b[31mred", "x\ny").line
    assert line.isprintable() and "\n" not in line


def test_a_new_reply_has_the_old_date() -> None:
    """Made after a task's moment it would be hidden from the task; one that had no date gets none."""
    old = replace(page("alpha", "old"), headers={"date": ("Tue, 14 Nov 2023 22:00:00 GMT",)})
    now = replace(page("alpha", "new"), headers={"date": ("Sun, 29 Nov 2026 05:00:00 GMT",), "link": ("x",)})
    assert in_place_of(old, now) == replace(old, headers={**old.headers, "link": ("x",)}, body=now.body)
    assert "date" not in in_place_of(replace(old, headers={}), now).headers


def test_a_header_is_sent_where_it_was_recorded(tmp_path: Path) -> None:
    """With a request that was recorded with a header of its name and with no other, and into no file."""
    with serving(unchanged()) as (host_map, asked):
        asking = Asking(host_map=host_map, headers={"X-API-Key": KEY})
        with AskAgain(tmp_path, "a", asking) as origin:
            for item in (
                replace(page("alpha", ""), request_headers={"x-api-key": ("SCRUBBED",)}),
                page("beta", ""),
                replace(page("gamma", ""), request_headers={"x-api-key": ("SCRUBBED-BAD",)}),
            ):
                origin.answers(RepeatedRequest(item, (200,)))
    sent = [{name.lower(): value for name, value in headers.items()}.get("x-api-key") for *_, headers in asked]
    assert (
        sent[:2] == [KEY, None] and len(sent) == 3 and KEY not in str(sent[2]) and KEY.encode() not in whole(tmp_path)
    )
