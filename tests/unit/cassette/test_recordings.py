"""Playing recordings: sequences, modes, classes of keys, and typed misses."""

from __future__ import annotations

import json
from pathlib import Path

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.cassette.answer import Answer, Answers
from caia_replay.cassette.cassette import Cassette, Interaction, cassette_bytes
from caia_replay.cassette.index import CassetteIndex, Source
from caia_replay.cassette.playback import read_playback
from caia_replay.cassette.recordings import Cursor, MemoryStore, Recordings
from caia_replay.cassette.secret import SCRUBBED, SCRUBBED_BAD, key_class
from caia_replay.cassette.transport import ReplayTransport
from caia_replay.errors import BadInput, Miss

HOST = "https://h.example"


def _item(url, body, request_body=b"", method="GET"):
    return Interaction(method, url, request_body, {}, 200, "OK", {"X-A": ("1", "2")}, body)


def _recordings(*items):
    return Recordings([Cassette("main", "", tuple(items))])


@given(st.lists(st.integers(0, 3), max_size=30), st.lists(st.integers(0, 3), max_size=40))
def test_sequence_then_last(recorded, asked):
    """Each question plays its answers in recorded order and stays on the last; the unrecorded miss."""
    recordings = _recordings(*(_item(f"{HOST}/{q}", str(n).encode()) for n, q in enumerate(recorded)))
    cursor, left = Cursor(), {q: [n for n, one in enumerate(recorded) if one == q] for q in range(4)}
    for question in asked:
        if question not in recorded:
            with pytest.raises(Miss):
                recordings.play("GET", f"{HOST}/{question}", b"", cursor)
            continue
        queue = left[question]
        assert recordings.play("GET", f"{HOST}/{question}", b"", cursor).body == str(queue[0]).encode()
        del queue[: 1 if len(queue) > 1 else 0]


def test_an_earlier_cassette_wins_a_whole_question() -> None:
    """Sequences are never mixed; own cassettes before the rest are as all of them in that order."""
    first = Cassette("task", "", (_item(f"{HOST}/a", b"task"),))
    second = Cassette("shared", "", tuple(_item(f"{HOST}/{q}", b"shared") for q in "aab"))
    recordings, cursor = Recordings([first, second]), Cursor()
    assert [recordings.play("GET", f"{HOST}/{q}", b"", cursor).body for q in "aab"] == [b"task", b"task", b"shared"]
    assert len(recordings) == 2
    own, shared = (Cassette(name, "", items) for name, items in (
        ("own", (_item(f"{HOST}/a", b"own"), _item(f"{HOST}/c", b"own"))),
        ("shared", (_item(f"{HOST}/a", b"shared"), _item(f"{HOST}/b", b"shared"))),
    ))  # fmt: skip
    rest, flat = Recordings([shared]), Recordings([own, shared])
    layered = Recordings.over(MemoryStore([own], rest.store), flat.names)
    assert [*layered.requests()] == [*flat.requests()]
    assert (len(layered), len(rest)) == (len(flat), 2)
    for path in "abc":
        assert layered.play("GET", f"{HOST}/{path}", b"", Cursor()) == flat.play("GET", f"{HOST}/{path}", b"", Cursor())
    assert rest.play("GET", f"{HOST}/a", b"", Cursor()).body == b"shared"


def test_a_miss_names_the_nearest_and_what_differs() -> None:
    """The nearest recording, the field, both values, no credential; nothing recorded has no nearest."""
    recordings = _recordings(*(_item(f"{HOST}/coins/{coin}?days={d}&apikey=hush", b"") for coin in ("aave", "link")
                               for d in (7, 90)))  # fmt: skip
    with pytest.raises(Miss) as caught:
        recordings.play("GET", f"{HOST}/coins/aave?days=91&apikey=whisper", b"", Cursor())
    detail = caught.value.detail
    assert detail.kind == "http" and detail.where == "main"
    assert detail.wanted == f"GET {HOST}/coins/aave?apikey=SCRUBBED&days=91"
    assert detail.nearest.startswith(f"GET {HOST}/coins/aave?apikey=SCRUBBED&days=90 differs in query")
    assert "hush" not in str(detail) and "whisper" not in str(detail)
    assert recordings.nearest(recordings.identify("GET", f"{HOST}/coins/aave?days=91&apikey=x")[0]) == detail.nearest
    with pytest.raises(Miss) as caught:
        Recordings([]).play("GET", HOST, b"", Cursor())
    assert (caught.value.detail.where, caught.value.detail.nearest) == ("no cassette", "")


def test_requests_can_be_walked_and_those_not_played_be_told() -> None:
    """Every served request with each reply, sorted; the questions a run never asked, in words."""
    recordings, cursor = _recordings(_item(f"{HOST}/a", b""), _item(f"{HOST}/b", b"")), Cursor()
    recordings.play("GET", f"{HOST}/a", b"", cursor)
    assert recordings.unplayed(cursor) == (f"GET {HOST}/b",)
    recordings = _recordings(_item(f"{HOST}/b", b"2"), _item(f"{HOST}/a", b"1"), _item(f"{HOST}/b", b"3"))
    walked = [(request.url, reply.body, dict(reply.headers)) for request, reply in recordings.requests()]
    assert walked == [(f"{HOST}/{q}", body, {"x-a": "1, 2"}) for q, body in (("a", b"1"), ("b", b"2"), ("b", b"3"))]


CALL = '{"jsonrpc": "2.0", "id": 1, "method": "m"}'


def _store() -> MemoryStore:
    items = [
        Interaction(method, f"{HOST}/{path}?b=&a=1", body.encode(), {}, status, "OK", {}, b"")
        for method, path, body in (("GET", "x", ""), ("GET", "y", ""), ("POST", "x", CALL))
        for status in (200, 201)
    ]
    return MemoryStore([Cassette("w", "", tuple(items))])


def _written(folder: Path, *entries: str) -> Path:
    path = folder / "playback.toml"
    path.write_text("".join(f"[[entry]]\n{entry}\n" for entry in entries))
    return path


def _statuses(path: Path, method: str, url: str, body: bytes = b"") -> list[int | str]:
    store, cursor = _store(), Cursor()
    recordings = Recordings.over(store, ("w",), policies=read_playback(path, store))
    found: list[int | str] = []
    for _ in range(5):
        try:
            found.append(recordings.play(method, url, body, cursor).status)
        except Miss as miss:
            found.append(miss.detail.where)
    return found


def test_each_entry_sets_the_mode_of_its_question(tmp_path: Path) -> None:
    """By request, however its query or its JSON is written; a once that ran out is a miss that says so; others stay."""
    call = CALL.replace('"', '\\"').replace('"id\\": 1', '"id\\": 99')
    path = _written(
        tmp_path,
        f'url = "{HOST}/x?a=1&b="\nmode = "cycle"',
        f'url = "{HOST}/x?b=&a=1"\nmethod = "POST"\nbody = "{call}"\nmode = "once"',
    )
    assert _statuses(path, "GET", f"{HOST}/x?a=1&b=") == [200, 201, 200, 201, 200]
    assert _statuses(path, "POST", f"{HOST}/x?a=1&b=", CALL.encode()) == [200, 201, *["all 2 answers played: w"] * 3]
    assert _statuses(path, "GET", f"{HOST}/y?a=1&b=") == [200, 201, 201, 201, 201]


def test_without_a_file_or_recordings_there_are_no_modes(tmp_path: Path) -> None:
    """An empty file is the default; an entry in a world without recordings is refused."""
    assert read_playback(tmp_path / "playback.toml", _store()) == {}
    assert read_playback(_written(tmp_path), _store()) == {}
    with pytest.raises(BadInput, match="is not recorded"):
        read_playback(_written(tmp_path, f'url = "{HOST}/x"\nmode = "once"'), MemoryStore([]))


@pytest.mark.parametrize(
    ("entries", "told"),
    [
        ([f'url = "{HOST}/x?a=1&b="\nmode = "twice"'], "mode"), ([f'url = "{HOST}/x?a=1&b="'], "mode"),
        ([f'url = "{HOST}/x?a=1&b="\nmode = "once"\nkind = 1'], "kind"), (['url = "x"\nmode = "once"'], "URL"),
        ([f'url = "{HOST}/x?a=1"\nmode = "once"'], rf"GET {HOST}/x\?a=1 is not recorded; nearest: .*{HOST}/x\?a=1&b="),
        ([f'url = "{HOST}/zz"\nmode = "once"'], "is not recorded; nearest: "),
        ([f'url = "{HOST}/x?a=1&b="\nmode = "once"', f'url = "{HOST}/x?b=&a=1"\nmode = "cycle"'], "two entries"),
        (["url = "], "not a TOML file"),
    ],
)  # fmt: skip
def test_an_entry_that_would_not_do_what_it_says_is_refused(tmp_path: Path, entries: list[str], told: str) -> None:
    """One line that names the file: unknown modes and fields, no URL, nothing recorded, two modes for one question."""
    path = _written(tmp_path, *entries)
    with pytest.raises(BadInput, match=rf"playback\.toml: .*(?i:{told})"):
        read_playback(path, _store())


URL = "https://api.example/price?ids=aave"
HEADERS = {
    "absent": {"accept": "application/json"},
    "good": {"x-api-key": SCRUBBED},
    "bad": {"Authorization": f"Bearer {SCRUBBED_BAD}"},
}


def recorded(key, body, status=200):
    lines = {name: (value,) for name, value in HEADERS[key].items()}
    return Interaction("GET", URL, b"", lines, status, "", {"x-n": ("1", "2")}, body.encode())


def played(recordings, key, times, cursor=None):
    cursor = cursor or Cursor()
    return [recordings.play("GET", URL, b"", cursor, HEADERS[key]).body.decode() for _ in range(times)]


@pytest.fixture(params=["parsed", "indexed"])
def recordings(request, tmp_path):
    def make(*items):
        path = tmp_path / "c.json"
        path.write_bytes(cassette_bytes(items))
        if request.param == "parsed":
            return Recordings([Cassette.open(path)])
        return Recordings.over(CassetteIndex([Source.of(path)], tmp_path / "x" / "y", "c").store(), ("c",))

    return make


def test_each_class_of_key_has_a_sequence_of_its_own(recordings):
    """A refusal of a bad or missing key never answers a request with a good one, whatever order they were asked in."""
    found = recordings(
        recorded("bad", "no", 401), recorded("good", "a"), recorded("absent", "who?", 401), recorded("good", "b")
    )
    cursor = Cursor()
    assert played(found, "good", 2, cursor) == ["a", "b"]
    assert played(found, "bad", 2, cursor) == ["no", "no"]
    assert played(found, "absent", 2, cursor) == ["who?", "who?"]
    assert played(found, "good", 1, cursor) == ["b"]
    assert found.unplayed(cursor) == ()


@pytest.mark.parametrize("asked, told", [("bad", "good"), ("bad", "absent"), ("good", "bad"), ("absent", "bad")])
def test_a_bad_key_and_any_other_never_answer_for_each_other(recordings, asked, told):
    """What a good key was answered is a miss for a bad one, and the other way round; the miss names the difference."""
    with pytest.raises(Miss) as caught:
        played(recordings(recorded(told, "yes")), asked, 1)
    assert f"differs in key '{asked}' ({told})" in caught.value.detail.nearest


def test_the_word_of_a_bad_key_counts_only_under_a_credentials_name(recordings):
    """An ordinary header that happens to hold the word asks the same question as ever."""
    found = recordings(recorded("absent", "yes"))
    assert found.play("GET", URL, b"", Cursor(), {"x-note": SCRUBBED_BAD}).body == b"yes"


def test_a_transport_tells_the_class_of_its_requests_key(recordings):
    """The client's own headers decide: no key, any key, the bad one's word."""
    found = recordings(recorded("absent", "who?", 401), recorded("bad", "no", 401), recorded("good", "yes"))
    with httpx2.Client(transport=ReplayTransport(found, Cursor())) as client:
        assert client.get(URL).text == "who?"
        assert client.get(URL, headers={"X-API-Key": "a key of today"}).text == "yes"
        assert client.get(URL, headers={"X-API-Key": SCRUBBED_BAD}).text == "no"


@given(st.lists(st.sampled_from(["absent", "good", "bad"]), min_size=1, max_size=8), st.sampled_from(list(HEADERS)))
def test_a_sequence_is_the_recorded_order_within_one_class(keys, asked):
    """Whatever was recorded, an asker sees exactly one class, all of it, in order; never bad for another or back."""
    every = [Answer.of(recorded(key, str(at)), None) for at, key in enumerate(keys)]
    found = Answers(every).to(HEADERS[asked])
    if not found:
        assert (asked in keys, "bad" in (asked, *set(keys))) == (False, True)
        return
    (served,) = {answer.key for answer in found}
    assert served == asked or {served, asked} == {"good", "absent"}
    assert asked == served or asked not in keys
    assert list(found) == [answer for answer in every if answer.key == served]


def test_ids_are_put_back_into_a_copy():
    """The answer itself stays as it was recorded, whoever asks with whatever id."""
    item = Interaction(
        "POST", URL, b"{}", {}, 200, "", {}, json.dumps({"id": 1, "jsonrpc": "2.0", "result": 2}).encode()
    )
    answer = Answer.of(item, ("1",))
    assert json.loads(answer.body_to(("77",)))["id"] == 77
    assert json.loads(answer.reply_to(('"x"',)).body)["id"] == "x"
    assert json.loads(answer.reply.body)["id"] == 1
    assert answer.interaction is item


def test_one_bad_key_among_good_ones_makes_a_request_bad():
    """Classes of headers: none, any value at all, the bad word after a scheme or alone."""
    assert key_class([("accept", "x"), ("x-api-key", "")]) == "absent"
    assert key_class([("X-Api-Key", "k"), ("authorization", "Bearer y")]) == "good"
    assert key_class([("x-api-key", "k"), ("authorization", f"Bearer {SCRUBBED_BAD}")]) == "bad"
