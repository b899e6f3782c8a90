import json
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.cassette.cassette import Cassette, Interaction
from caia_replay.cassette.identity import identity
from caia_replay.cassette.recordings import Cursor, Recordings
from caia_replay.errors import Miss

HOST = "https://h.example"


def _item(url, body, request_body=b"", method="GET"):
    return Interaction(method, url, request_body, {}, 200, "OK", {"X-A": ("1", "2")}, body)


def _recordings(*items, **more):
    return Recordings([Cassette("main", "", tuple(items))], **more)


@settings(max_examples=40, deadline=None)
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


def test_once_and_cycle():
    """Single questions may run out, or start over."""
    items = [_item(f"{HOST}/{q}", n) for q in "ab" for n in (b"1", b"2")]
    policies = {identity("GET", f"{HOST}/a"): "once", identity("GET", f"{HOST}/b"): "cycle"}
    recordings, cursor = _recordings(*items, policies=policies), Cursor()
    assert [recordings.play("GET", f"{HOST}/b", b"", cursor).body for _ in range(5)] == [b"1", b"2", b"1", b"2", b"1"]
    assert [recordings.play("GET", f"{HOST}/a", b"", cursor).body for _ in range(2)] == [b"1", b"2"]
    with pytest.raises(Miss, match="all 2 answers played"):
        recordings.play("GET", f"{HOST}/a", b"", cursor)


def test_runs_do_not_see_each_other():
    """Eight threads with a cursor each play every sequence from its start."""
    recordings = _recordings(*(_item(f"{HOST}/{q}", f"{q}-{n}".encode()) for q in range(5) for n in range(20)))
    seen = {}

    def run(name):
        cursor = Cursor()
        seen[name] = [recordings.play("GET", f"{HOST}/{q}", b"", cursor).body for n in range(20) for q in range(5)]

    threads = [threading.Thread(target=run, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = [f"{q}-{n}".encode() for n in range(20) for q in range(5)]
    assert list(seen.values()) == [expected] * 8


def test_an_earlier_cassette_wins_a_whole_question():
    """Sequences of two cassettes are never mixed."""
    first = Cassette("task", "", (_item(f"{HOST}/a", b"task"),))
    second = Cassette("shared", "", tuple(_item(f"{HOST}/{q}", b"shared") for q in "aab"))
    recordings, cursor = Recordings([first, second]), Cursor()
    assert [recordings.play("GET", f"{HOST}/{q}", b"", cursor).body for q in "aab"] == [b"task", b"task", b"shared"]
    assert len(recordings) == 2


def test_the_rest_answers_what_the_own_cassettes_do_not():
    """Own cassettes before the shared rest is the same as all of them in that order, and the rest is left as it was."""
    own, shared = (Cassette(name, "", items) for name, items in (
        ("own", (_item(f"{HOST}/a", b"own"), _item(f"{HOST}/c", b"own"))),
        ("shared", (_item(f"{HOST}/a", b"shared"), _item(f"{HOST}/b", b"shared"))),
    ))  # fmt: skip
    rest, flat = Recordings([shared]), Recordings([own, shared])
    layered = Recordings([own], rest=rest)
    assert [*layered.requests()] == [*flat.requests()]
    assert (layered.names, len(layered), len(rest)) == (flat.names, len(flat), 2)
    for path in "abc":
        assert layered.play("GET", f"{HOST}/{path}", b"", Cursor()) == flat.play("GET", f"{HOST}/{path}", b"", Cursor())
    assert rest.play("GET", f"{HOST}/a", b"", Cursor()).body == b"shared"


def test_a_reply_carries_the_id_of_its_request():
    """The recorded id is replaced, the recorded bytes around it are not."""
    call = lambda n: json.dumps({"jsonrpc": "2.0", "id": n, "method": "eth_chainId", "params": []}).encode()  # noqa: E731
    recordings = _recordings(_item(HOST, b'{"jsonrpc":"2.0", "id":1, "result":"0x1"}', call(1), "POST"))
    assert recordings.play("POST", HOST, call(1), Cursor()).body == b'{"jsonrpc":"2.0", "id":1, "result":"0x1"}'
    assert recordings.play("POST", HOST, call(77), Cursor()).body == b'{"jsonrpc":"2.0", "id":77, "result":"0x1"}'


def test_another_body_is_another_question():
    """A call that was never recorded never gets a neighbour's reply."""
    recordings = _recordings(_item(HOST, b"1", b'{"jsonrpc":"2.0","id":1,"method":"eth_getBalance"}', "POST"))
    with pytest.raises(Miss):
        recordings.play("POST", HOST, b'{"jsonrpc":"2.0","id":1,"method":"eth_call"}', Cursor())


def test_ignored_parameters_are_those_of_the_host():
    """What one provider ignores counts elsewhere."""
    recordings = _recordings(
        _item(f"{HOST}/a?q=1&ts=5", b"h"), _item("https://o.example/a?q=1&ts=5", b"o"),
        ignored={"h.example": frozenset({"ts"})},
    )  # fmt: skip
    assert recordings.play("GET", f"{HOST}/a?ts=9&q=1", b"", Cursor()).body == b"h"
    with pytest.raises(Miss):
        recordings.play("GET", "https://o.example/a?ts=9&q=1", b"", Cursor())


def test_a_miss_names_the_nearest_and_what_differs():
    """For people only: the nearest recording, the field, both values, and no credential."""
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


def test_a_miss_in_nothing_has_no_nearest():
    """No cassette, no neighbour, still a typed miss."""
    with pytest.raises(Miss) as caught:
        Recordings([]).play("GET", HOST, b"", Cursor())
    assert (caught.value.detail.where, caught.value.detail.nearest) == ("no cassette", "")


def test_what_was_not_played_can_be_told():
    """The questions a run never asked, in words."""
    recordings, cursor = _recordings(_item(f"{HOST}/a", b""), _item(f"{HOST}/b", b"")), Cursor()
    recordings.play("GET", f"{HOST}/a", b"", cursor)
    assert recordings.unplayed(cursor) == (f"GET {HOST}/b",)


def test_all_requests_can_be_walked():
    """Every served request with each reply, sorted, headers in lower case and joined."""
    recordings = _recordings(_item(f"{HOST}/b", b"2"), _item(f"{HOST}/a", b"1"), _item(f"{HOST}/b", b"3"))
    walked = [(request.url, reply.body, dict(reply.headers)) for request, reply in recordings.requests()]
    assert walked == [(f"{HOST}/{q}", body, {"x-a": "1, 2"}) for q, body in (("a", b"1"), ("b", b"2"), ("b", b"3"))]
