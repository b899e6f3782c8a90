"""Lint of a world's recordings: what is told twice, broken off, or like a key."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from caia_replay.cassette.cassette import Interaction, write_cassette
from caia_replay.cassette.secret import SCRUBBED_BAD
from caia_replay.errors import BadInput
from caia_replay.recording.lint_cassette import cassette_faults
from caia_replay.store.world_folder import open_world

API = "https://api.example.com/v2/items"
KEY = "q7Zt2LmX9vB4nRk8WcY3pHs6TdJf1GaE"


def item(
    uri: str = API, body: Any = None, request: Any = None, headers: dict[str, tuple[str, ...]] | None = None
) -> Any:
    return Interaction(
        method="GET" if request is None else "POST",
        uri=uri,
        request_body=b"" if request is None else json.dumps(request).encode(),
        request_headers={},
        status=200,
        reason="OK",
        headers=headers or {},
        body=body if isinstance(body, bytes) else json.dumps(body).encode(),
    )


def faults(tmp_path: Path, *files: list[Interaction]) -> list[str]:
    paths = [tmp_path / f"{number}.json" for number in range(len(files))]
    for path, interactions in zip(paths, files, strict=True):
        write_cassette(path, interactions)
    return [f"{path.name}: {what}" for path, what in cassette_faults(paths)]


def test_the_shipped_cassettes_have_no_fault(shipped: Path) -> None:
    """Nothing of what we ship is told twice, looks like a key or breaks off."""
    paths = open_world(str(shipped)).cassettes()
    assert len(paths) > 5
    assert list(cassette_faults(paths)) == []


@pytest.mark.parametrize(
    ("planted", "place"),
    [(item(f"{API}?who={KEY}"), "address"), (item(request={"q": f"use {KEY}"}), "request body"),
     (item(body={"rows": [f"the value is {KEY}"]}), "reply body"), (item(body=f"<p>{KEY}</p>".encode()), "reply body"),
     (item(headers={"x-account": (KEY,)}), "reply header x-account")],
)  # fmt: skip
def test_a_key_under_a_harmless_name_is_found_and_not_shown(tmp_path: Path, planted: Interaction, place: str) -> None:
    """Address, request, reply and header are read; the finding names the place and never the value."""
    (found,) = faults(tmp_path, [planted])
    assert f"1 like a key in the {place} of " in found
    assert KEY not in found


@pytest.mark.parametrize(
    ("reply", "told"),
    [({"meta": {"next_token": "abc9"}}, "abc9"), ({"nextPageToken": "abc9", "items": []}, "abc9"),
     ({"next": f"{API}?page=2"}, f"{API}?page=2"), ({"links": {"next": "/v2/items?page=2"}}, "/v2/items?page=2"),
     ({"next_page": 2}, "2"), ({"pageInfo": {"hasNextPage": True, "endCursor": "abc9"}}, "abc9"),
     (("Link", f'<{API}?page=2>; rel="next", <{API}?page=9>; rel="last"'), f"{API}?page=2")],
)  # fmt: skip
def test_a_list_that_breaks_off_is_found(tmp_path: Path, reply: Any, told: str) -> None:
    """A next page that is not recorded is a finding; it is none when a recorded request asks for it."""
    page = item(headers={reply[0]: (reply[1],)}) if isinstance(reply, tuple) else item(body=reply)
    (found,) = faults(tmp_path, [page])
    assert f"goes on at {told!r}, which is not recorded" in found
    follow = item(f"{API}?page=2") if "2" in told else item(request={"variables": {"after": "abc9"}})
    assert faults(tmp_path, [page, follow]) == []
    # Another host's page of that name is not the next one here.
    elsewhere = item("https://other.example/v2/items?page=2&t=abc9")
    assert len(faults(tmp_path, [page, elsewhere])) == 1


@pytest.mark.parametrize(
    "reply",
    [{"next": None}, {"next_cursor": ""}, {"next_page": 0}, {"has_more": False, "next_cursor": "abc9"},
     {"pageInfo": {"hasNextPage": False, "endCursor": "abc9"}}, {"next": "Read the next article"},
     {"nextFundingTime": 1717308040}, ["next"]],
)  # fmt: skip
def test_the_end_of_a_list_is_no_finding(tmp_path: Path, reply: Any) -> None:
    """Empty cursors, lists that say they end, and members that only sound alike are left alone."""
    assert faults(tmp_path, [item(body=reply)]) == []


def test_the_same_answers_are_found(tmp_path: Path) -> None:
    """A, A says nothing more than A, in one file or two; A, B, A is what happened, and so are keys of two classes."""
    a, b = item(f"{API}?x=1&y=2", {"v": 1}), item(f"{API}?x=1&y=2", {"v": 2})
    same = item(f"{API}?y=2&x=1", {"v": 1})
    assert faults(tmp_path, [a, b, same]) == faults(tmp_path, [a], [b]) == []
    assert faults(tmp_path, [a, same]) == [f"0.json: the same answer twice running: GET {API}?x=1&y=2"]
    (found,) = faults(tmp_path, [a, b], [b], [a, b])
    assert found.startswith("2.json: holds what ") and found.endswith(f"/0.json holds: GET {API}?x=1&y=2")
    bad = replace(item(body={"v": 1}), request_headers={"x-api-key": (SCRUBBED_BAD,)})
    assert faults(tmp_path, [item(body={"v": 1}), bad]) == []
    assert len(faults(tmp_path, [bad, bad])) == 1
    first, second = (item(body={"v": 1}, headers={"date": (f"Fri, 14 Jun 2024 12:00:0{n} GMT",)}) for n in (1, 2))
    assert len(faults(tmp_path, [first, first])) == len(faults(tmp_path, [first], [second])) == 1
    assert faults(tmp_path, [first, second]) == []
    assert faults(tmp_path, [first, item(body={"v": 1}, headers={"etag": ("a",)})]) == []


def test_hostile_links_names_and_addresses_are_read_at_once(tmp_path: Path) -> None:
    """Each in one pass; an address nobody can join is told as not recorded, a key in one is masked."""
    slow = item(headers={"link": ("<" * 500_000, "<a>" + "; " * 200_000, "a" * 500_000)})
    assert faults(tmp_path, [slow]) == []
    assert faults(tmp_path, [item(body={"next" + "pagetoken" * 3000 + "!": "x", "a": "http:" * 20_000})]) == []
    (found,) = faults(tmp_path, [item(f"{API}/{'a' * 300_000}", {"next": "http://[::"})])
    assert "'http://[::', which is not recorded" in found and len(found) < 1000
    (found,) = faults(tmp_path, [item(body={"next": f"{API}?apikey=0123abcd4567&page=2"})])
    assert "0123abcd4567" not in found
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(BadInput, match=r"x\.json"):
        list(cassette_faults([tmp_path / "x.json"]))
