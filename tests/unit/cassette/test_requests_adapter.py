import json
import socket
from io import BytesIO

import pytest
import requests

from caia_replay.cassette.cassette import Cassette, Interaction
from caia_replay.cassette.recordings import Cursor, Recordings
from caia_replay.cassette.requests_adapter import ReplayAdapter, replay_session
from caia_replay.errors import Miss

HOST = "https://h.example"


def _session(*items, on_served=None):
    return replay_session(Recordings([Cassette("main", "", items)]), Cursor(), on_served)


def _item(url, body=b"{}", request_body=b"", method="GET", status=200, headers=None, reason="OK"):
    headers = headers or {"content-type": ("text/plain; charset=utf-8",)}
    return Interaction(method, url, request_body, {}, status, reason, headers, body)


def test_a_session_reads_what_was_recorded():
    """Status, reason, text, repeated headers and length come as from a server, again and again."""
    headers = {"link": ("<a>", "<b>"), "retry-after": ("3",), "content-type": ("text/plain; charset=utf-8",)}
    session = _session(_item(f"{HOST}/a?x=1&y=a%20b", "价格".encode(), status=429, headers=headers, reason="Slow Down"))
    for _ in range(3):
        reply = session.get(f"{HOST}/a", params={"y": "a b", "x": 1})
        assert (reply.status_code, reply.reason, reply.text) == (429, "Slow Down", "价格")
        assert reply.headers["Link"] == "<a>, <b>" and reply.headers["content-length"] == "6"
        with pytest.raises(requests.HTTPError, match="429"):
            reply.raise_for_status()


def test_a_body_is_read_in_pieces():
    """Chunks, lines and the raw file give the recorded bytes, of a binary body too."""
    body = bytes(range(256)) * 10
    session = _session(_item(f"{HOST}/a", body), _item(f"{HOST}/b", b"one\ntwo\n\nthree"))
    with session.get(f"{HOST}/a", stream=True) as reply:
        pieces = list(reply.iter_content(100))
    assert b"".join(pieces) == body and {len(piece) for piece in pieces[:-1]} == {100}
    assert list(session.get(f"{HOST}/b", stream=True).iter_lines()) == [b"one", b"two", b"", b"three"]
    assert session.get(f"{HOST}/a", stream=True).raw.read(7) == body[:7]


def test_redirects_are_followed_inside_the_recordings():
    """A redirect leads to the next recorded answer, or to a miss; nothing is followed when that was not asked for."""
    hops = [_item(f"{HOST}/{i}", b"", status=code, headers={"location": (f"/{i + 1}",)}, reason="")
            for i, code in enumerate((301, 302, 303, 307, 308))]  # fmt: skip
    reply = _session(*hops, _item(f"{HOST}/5", b"end")).get(f"{HOST}/0")
    assert (reply.text, [hop.status_code for hop in reply.history]) == ("end", [301, 302, 303, 307, 308])
    assert _session(*hops).get(f"{HOST}/0", allow_redirects=False).headers["location"] == "/1"
    with pytest.raises(Miss, match=r"h\.example/5"):
        _session(*hops).get(f"{HOST}/0")


@pytest.mark.parametrize(
    "sent",
    [b'{"a": 1}', '{"a": 1}', BytesIO(b'{"a": 1}'), iter([b'{"a"', b": 1}"]), bytearray(b'{"a": 1}')],
    ids=["bytes", "text", "file", "chunks", "bytearray"],
)
def test_every_form_of_a_body_is_the_same_question(sent):
    """What requests would send is what is looked up."""
    session = _session(_item(f"{HOST}/a", b"found", b'{"a":1}', "POST"), _item(f"{HOST}/a", b"none", b"", "POST"))
    assert session.post(f"{HOST}/a", data=sent).text == "found"
    assert session.post(f"{HOST}/a").text == "none"


def test_a_reply_has_the_id_and_the_length_of_its_own_request():
    """Callers with other ids get their own."""
    call = {"jsonrpc": "2.0", "id": 1, "method": "eth_chainId", "params": []}
    reply = b'{"jsonrpc":"2.0","id":1,"result":"0x1"}'
    session = _session(_item(HOST, reply, json.dumps(call).encode(), "POST"))
    for number in (1, 123_456, 1):
        got = session.post(HOST, json=call | {"id": number})
        assert got.json() == {"jsonrpc": "2.0", "id": number, "result": "0x1"}
        assert int(got.headers["content-length"]) == len(got.content)


def test_a_head_request_has_no_body():
    """HEAD and 204 end at once, whatever length the recording tells."""
    session = _session(
        _item(f"{HOST}/a", b"", method="HEAD"), _item(f"{HOST}/b", b"", status=204, reason="No Content", headers={})
    )
    assert (session.head(f"{HOST}/a").content, session.get(f"{HOST}/b").content) == (b"", b"")


def test_a_miss_comes_out_of_the_session_and_hits_are_told():
    """What was never recorded raises the typed miss through session.get; on_served sees each hit and no miss."""
    seen = []
    session = _session(_item(f"{HOST}/a", b"x"), on_served=lambda *pair: seen.append(pair))
    session.get(f"{HOST}/a", headers={"X-One": b"1"})
    with pytest.raises(Miss, match=r"http not recorded: GET https://h\.example/b"):
        session.get(f"{HOST}/b")
    assert [(request.method, request.url, reply.body) for request, reply in seen] == [("GET", f"{HOST}/a", b"x")]
    assert seen[0][0].headers["x-one"] == "1"


def test_a_replay_session_has_no_way_out(monkeypatch, tmp_path):
    """Credentials of the environment are not read, no socket is opened, and no scheme has another adapter."""
    (tmp_path / "netrc").write_text("machine h.example login me password not-a-real-one\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    monkeypatch.setattr(socket, "socket", None)
    seen = []
    session = _session(_item(f"{HOST}/a", b"x"), on_served=lambda *pair: seen.append(pair))
    assert session.get(f"{HOST}/a").text == "x" and "authorization" not in seen[0][0].headers
    assert {type(adapter) for adapter in session.adapters.values()} == {ReplayAdapter}
    with pytest.raises(requests.exceptions.InvalidSchema):
        session.get("ftp://h.example/a")


def test_a_changed_response_does_not_change_the_recording():
    """Clients own their headers: what one adds, the next does not see."""
    session = _session(_item(f"{HOST}/a"))
    session.get(f"{HOST}/a").headers["x-mine"] = "1"
    assert "x-mine" not in session.get(f"{HOST}/a").headers
