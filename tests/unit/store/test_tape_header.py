"""tape.json: canonical, sealed by itself, and a stranger's held to the form."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from caia_replay.canonical import digest, pretty_bytes, strict_json
from caia_replay.core.model import Price, RunKey
from caia_replay.errors import BadInput, SealBroken
from caia_replay.store.tape_header import TapeHeader, header_bytes, read_header

RUNS = {RunKey(task, "clean", "tools", "react", attempt): digest(task) for task in ("b", "a") for attempt in (10, 2)}
HEADER = TapeHeader("n", "s", "m", Price("1.25", "10", "2026-11-01", "a list"), RUNS)


def test_what_is_written_is_read(tmp_path: Path) -> None:
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
        ({"version": 2}, "tape version 2"),
        ({"version": True}, "tape version True"),
        ({"extra": 1}, "unknown field 'extra'"),
        ({"model": 1}, "'model' is int"),
        ({"runs": {}}, "'runs' is dict"),
        ({"runs": [{"task": "a"}]}, "is missing"),
        ({"price": {"prompt": "NaN", "completion": "1", "as_of": "", "source": "", "cached": None}}, "price 'NaN'"),
        ({"price": {"prompt": "1", "completion": "-1", "as_of": "", "source": "", "cached": None}}, "price '-1'"),
        ({"price": {"prompt": "1", "completion": "1", "as_of": "", "source": "", "cached": "1e9"}}, "price '1e9'"),
    ],
)
def test_a_strangers_header_is_held_to_the_form(tmp_path: Path, change: dict[str, Any], told: str) -> None:
    """Also one that carries the right digest of itself."""
    body = {name: value for name, value in strict_json(header_bytes(HEADER)).items() if name != "digest"} | change
    path = tmp_path / "tape.json"
    path.write_bytes(pretty_bytes({**body, "digest": digest(body)}))
    with pytest.raises(BadInput, match=told) as caught:
        read_header(path)
    assert str(path) in str(caught.value)


def test_runs_out_of_order_or_twice_are_refused(tmp_path: Path) -> None:
    """One listing has one form."""
    body = {name: value for name, value in strict_json(header_bytes(HEADER)).items() if name != "digest"}
    path = tmp_path / "tape.json"
    for runs in (body["runs"][::-1], [*body["runs"], body["runs"][-1]]):
        path.write_bytes(pretty_bytes({**body, "runs": runs, "digest": digest({**body, "runs": runs})}))
        with pytest.raises(BadInput, match="not in order, or listed twice"):
            read_header(path)


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"null", b"{}", b'{"version":1}', b'{"version":1,"digest":1}', b"\xff", b"[" * 9_999]
)
def test_what_is_no_header_is_refused(tmp_path: Path, data: bytes) -> None:
    """Whatever lies in its place."""
    (tmp_path / "tape.json").write_bytes(data)
    with pytest.raises(SealBroken, match=r"tape\.json"):
        read_header(tmp_path / "tape.json")
