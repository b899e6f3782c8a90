"""A run's file and tape.json: what is put in comes out, and a stranger's is held to the form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.canonical import digest, pretty_bytes, strict_json
from caia_replay.core.model import Price, RunKey
from caia_replay.core.tape import TapedFault, TapedReply, TapedTurn
from caia_replay.errors import BadInput, SealBroken
from caia_replay.store import plain_file, tape_file
from caia_replay.store.tape_file import MOST_TURNS, MOST_VALUES, fitting, is_name, parse_run, run_path, tape_bytes
from caia_replay.store.tape_folder import TapeHeader, header_bytes, read_header

KEY = RunKey("t-1", "clean", "no-tools", "react", 2)
TURNS = (
    TapedTurn('{"messages":[]}', TapedReply(200, "application/json", '{"a":"é"}')),
    TapedTurn('{"messages":[1]}', TapedFault("timeout", "too late")), TapedTurn("", TapedFault("connection", "")),
    TapedTurn('{"messages":[1,2]}', TapedReply(429, "", "")),
)  # fmt: skip
_text = st.text(st.characters(codec="utf-8"), max_size=20)
_reply = st.builds(TapedReply, st.integers(200, 599), st.sampled_from(["", "text/event-stream; charset=utf-8"]), _text)
_fault = st.builds(TapedFault, st.sampled_from(["timeout", "server", "context_overflow"]), _text)
_turns = st.lists(st.builds(TapedTurn, _text, _reply | _fault), max_size=8)


@given(_turns)
def test_what_is_written_is_read(turns: list[TapedTurn]) -> None:
    """Whatever replies and faults follow one another, they come back in that order."""
    data = tape_bytes(KEY, turns)
    assert parse_run(data, "f") == (KEY, tuple(turns)) and data == tape_bytes(KEY, turns)


def test_stock_vcrpy_plays_it(tmp_path: Path) -> None:
    """vcrpy loads the file and answers the run's replies in order, to httpx2 that knows nothing of us."""
    import httpx2
    import vcr

    (tmp_path / "run.json").write_bytes(tape_bytes(KEY, TURNS))
    player = vcr.VCR(serializer="json", record_mode="none", match_on=["method", "uri"])
    with player.use_cassette(str(tmp_path / "run.json")) as cassette, httpx2.Client() as client:
        got = [client.post("http://model.invalid/v1/chat/completions", json={}) for _ in range(2)]
    assert [(reply.status_code, reply.text) for reply in got] == [(200, '{"a":"é"}'), (429, "")]
    assert got[0].headers["content-type"] == "application/json" and cassette.all_played


def test_a_path_is_made_of_names() -> None:
    """A run's file lies where its key says, and no key leads anywhere else."""
    assert run_path(KEY) == "react/clean-no-tools/t-1/2.json"
    for name in ("", ".", "..", "../x", "a/b", "a\\b", ".git", "a\n", "é", "x" * 201):
        assert not is_name(name)
        for field in range(4):
            parts = ["t", "clean", "tools", "react"]
            parts[field] = name
            with pytest.raises(BadInput, match="cannot name a file"):
                run_path(RunKey(parts[0], parts[1], parts[2], parts[3], 1))
    for attempt in (0, -1, 10**9):
        with pytest.raises(BadInput, match="attempt"):
            run_path(RunKey("t", "clean", "tools", "react", attempt))


def broken(path: str, value: Any) -> bytes:
    """The example's file with the value at ``path`` replaced; ``...`` takes it out."""
    content = json.loads(tape_bytes(KEY, TURNS))
    *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    place = content
    for step in steps:
        place = place[step]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return json.dumps(content).encode()


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("version", 2), ("version", True), ("extra", 1), ("interactions", {}), ("interactions.0", None),
        ("interactions.0.request", ...), ("interactions.0.request.body", None),
        ("interactions.0.request.body", "\ud800"), ("interactions.0.response.status.code", 199),
        ("interactions.0.response.status.code", "200"), ("interactions.0.response.headers", {"set-cookie": ["a=b"]}),
        ("interactions.0.response.headers", {"content-type": []}),
        ("interactions.0.response.headers", {"content-type": ["a\r\nb: c"]}),
        ("interactions.0.response.headers", {"content-type": ["é"]}), ("interactions.0.response.body.string", ["x"]),
        ("interactions.0.response.body.string", "\udfff"), ("metadata", ...), ("metadata.run", ...),
        ("metadata.run.attempt", "2"), ("metadata.run.attempt", 0), ("metadata.run.task", "../t"),
        ("metadata.run.extra", 1), ("metadata.faults.0.turn", 9), ("metadata.faults.0.turn", 0),
        ("metadata.faults.1.turn", 2), ("metadata.faults.0.turn", 2.0), ("metadata.faults.0.reason", "not_recorded"),
        ("metadata.faults.0.reason", "Not a word"), ("metadata.faults.0.detail", 1),
    ],
)  # fmt: skip
def test_a_file_of_another_form_is_refused(path: str, value: Any) -> None:
    """Any field that is missing, unknown, or of another kind is BadInput naming the file."""
    with pytest.raises(BadInput, match=r"^here\.json: is no run of a tape: "):
        parse_run(broken(path, value), "here.json")


def test_what_is_no_json_or_would_not_be_read_is_refused() -> None:
    """Bytes that no parser should be given; and nothing is written that could not be read."""
    for data in [
        b"", b"{", b"\xff", b"null", b"[" * 100_000, b'{"version":1,"version":1}',
        b"[" + b"0," * (MOST_VALUES + 1) + b"0]",
    ]:  # fmt: skip
        with pytest.raises(BadInput, match="is no run of a tape"):
            parse_run(data, "f")
    for key, turn in (
        (RunKey("..", "clean", "tools", "react", 1), TURNS[0]), (KEY, TapedTurn("\ud800", TURNS[0].outcome)),
        (KEY, TapedTurn("", TapedFault("two words", ""))), (KEY, TapedTurn("", TapedReply(200, "a\nb", ""))),
    ):  # fmt: skip
        with pytest.raises(BadInput):
            tape_bytes(key, [turn])


@pytest.mark.parametrize("letter", ["a", "é", "\x01", '"', "\U0001f600"])
def test_what_fits_is_written_within_the_bounds(monkeypatch: pytest.MonkeyPatch, letter: str) -> None:
    """Whatever its letters take in a file, and whatever became of its turns: the first turns, in order."""
    monkeypatch.setattr(tape_file, "MOST_BYTES", 20_000)
    long = [TapedTurn(letter * 999, TapedFault("timeout", str(at))) for at in range(40)]
    kept = fitting(KEY, long)
    assert 0 < len(kept) < 40 and list(kept) == long[: len(kept)] and len(tape_bytes(KEY, kept)) <= 20_000
    assert fitting(KEY, long[:1]) == long[:1]


def test_as_many_turns_as_a_file_may_hold_can_be_written() -> None:
    """Neither bound, of turns or of values, is met before the other."""
    turn = TapedTurn("{}", TapedReply(200, "a/b", "{}"))
    assert len(fitting(KEY, [turn] * (MOST_TURNS + 1))) == MOST_TURNS

    def values(count: int) -> int:
        bare = plain_file._STRING.sub(b"", tape_bytes(KEY, [turn] * count))
        return sum(bare.count(sign) for sign in (b"[", b"{", b","))

    assert values(1) + (values(2) - values(1)) * MOST_TURNS <= MOST_VALUES


RUNS = {RunKey(task, "clean", "tools", "react", attempt): digest(task) for task in ("b", "a") for attempt in (10, 2)}
HEADER = TapeHeader("n", "s", "m", Price("1.25", "10", "2026-11-01", "a list"), RUNS)


def test_what_is_written_is_read_tape_header(tmp_path: Path) -> None:
    """Runs come in one order, whatever order they were put in; no price stays no price."""
    path = tmp_path / "tape.json"
    path.write_bytes(header_bytes(HEADER))
    found = read_header(path)
    assert found == HEADER and [(key.task, key.attempt) for key in found.runs] == [
        ("a", 2),
        ("a", 10),
        ("b", 2),
        ("b", 10),
    ]
    path.write_bytes(header_bytes(TapeHeader("n", "s", "m", None, RUNS)))
    assert read_header(path).price is None


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"version": 2}, "tape version 2"), ({"version": True}, "tape version True"),
        ({"extra": 1}, "unknown field 'extra'"), ({"model": 1}, "is the number"), ({"runs": {}}, "is the table"),
        ({"runs": [{"task": "a"}]}, "is missing"),
        ({"price": {"prompt": "NaN", "completion": "1", "as_of": "", "source": "", "cached": None}}, "price 'NaN'"),
        ({"price": {"prompt": "1", "completion": "-1", "as_of": "", "source": "", "cached": None}}, "price '-1'"),
        ({"price": {"prompt": "1", "completion": "1", "as_of": "", "source": "", "cached": "1e9"}}, "price '1e9'"),
    ],
)  # fmt: skip
def test_a_strangers_header_is_held_to_the_form(tmp_path: Path, change: dict[str, Any], told: str) -> None:
    """Also one that carries the right digest of itself."""
    body = {name: value for name, value in strict_json(header_bytes(HEADER)).items() if name != "digest"} | change
    path = tmp_path / "tape.json"
    path.write_bytes(pretty_bytes({**body, "digest": digest(body)}))
    with pytest.raises(BadInput, match=told) as caught:
        read_header(path)
    assert str(path) in str(caught.value)


def test_a_header_has_one_form(tmp_path: Path) -> None:
    """Runs out of order or twice, and whatever else lies in its place, are refused."""
    body = {name: value for name, value in strict_json(header_bytes(HEADER)).items() if name != "digest"}
    path = tmp_path / "tape.json"
    for runs in (body["runs"][::-1], [*body["runs"], body["runs"][-1]]):
        path.write_bytes(pretty_bytes({**body, "runs": runs, "digest": digest({**body, "runs": runs})}))
        with pytest.raises(BadInput, match="not in order, or listed twice"):
            read_header(path)
    for data in [b"", b"[]", b"null", b"{}", b'{"version":1}', b'{"version":1,"digest":1}', b"\xff", b"[" * 9_999]:
        (tmp_path / "tape.json").write_bytes(data)
        with pytest.raises(SealBroken, match=r"tape\.json"):
            read_header(tmp_path / "tape.json")
