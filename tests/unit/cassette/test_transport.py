import json

import httpx
import httpx2
import pytest

from caia_replay.cassette.cassette import Cassette, Interaction
from caia_replay.cassette.recordings import Cursor, Recordings
from caia_replay.cassette.transport import LegacyReplayTransport, ReplayTransport
from caia_replay.errors import Miss

HOST = "https://h.example"
CLIENTS = [(httpx2.Client, ReplayTransport), (httpx.Client, LegacyReplayTransport)]


def _recordings(*items):
    return Recordings([Cassette("main", "", items)])


def _item(url, body=b"{}", request_body=b"", method="GET", status=200, headers=None):
    return Interaction(method, url, request_body, {}, status, "OK", headers or {"content-type": ("text/plain",)}, body)


@pytest.mark.parametrize(("client_type", "transport_type"), CLIENTS)
def test_a_client_reads_what_was_recorded(client_type, transport_type):
    """Status, text, repeated headers and length come as from a server, again and again."""
    item = _item(
        f"{HOST}/a?x=1&y=a%20b", "价格".encode(), status=429, headers={"link": ("<a>", "<b>"), "retry-after": ("3",)}
    )
    client = client_type(transport=transport_type(_recordings(item), Cursor()))
    for _ in range(3):
        reply = client.get(f"{HOST}/a", params={"y": "a b", "x": 1})
        assert (reply.status_code, reply.text, reply.headers["retry-after"]) == (429, "价格", "3")
        assert reply.headers.get_list("link") == ["<a>", "<b>"] and reply.headers["content-length"] == "6"


@pytest.mark.parametrize(("client_type", "transport_type"), CLIENTS)
def test_a_miss_comes_out_of_the_client(client_type, transport_type):
    """What was never recorded raises the typed miss through client.get."""
    client = client_type(transport=transport_type(_recordings(_item(f"{HOST}/a")), Cursor()))
    with pytest.raises(Miss, match=r"http not recorded: GET https://h\.example/b"):
        client.get(f"{HOST}/b")


@pytest.mark.parametrize(("client_type", "transport_type"), CLIENTS)
def test_redirects_are_followed_inside_the_recordings(client_type, transport_type):
    """A redirect leads to the next recorded answer."""
    hop = _item(f"{HOST}/a", b"", status=302, headers={"location": ("/b",)})
    client = client_type(
        transport=transport_type(_recordings(hop, _item(f"{HOST}/b", b"end")), Cursor()), follow_redirects=True
    )
    assert client.get(f"{HOST}/a").text == "end"


@pytest.mark.parametrize(("client_type", "transport_type"), CLIENTS)
def test_a_reply_has_the_id_and_the_length_of_its_own_request(client_type, transport_type):
    """Two clients with other ids get their own, and neither changes what the next one gets."""
    call = {"jsonrpc": "2.0", "id": 1, "method": "eth_chainId", "params": []}
    reply = b'{"jsonrpc":"2.0","id":1,"result":"0x1"}'
    client = client_type(
        transport=transport_type(_recordings(_item(HOST, reply, json.dumps(call).encode(), "POST")), Cursor())
    )
    for number in (1, 123_456, 1):
        got = client.post(HOST, json=call | {"id": number})
        assert got.json() == {"jsonrpc": "2.0", "id": number, "result": "0x1"}
        assert int(got.headers["content-length"]) == len(got.content)


@pytest.mark.parametrize(("client_type", "transport_type"), CLIENTS)
def test_served_requests_are_told(client_type, transport_type):
    """on_served sees each hit with its reply, and no miss."""
    seen = []
    transport = transport_type(_recordings(_item(f"{HOST}/a", b"x")), Cursor(), lambda *pair: seen.append(pair))
    client = client_type(transport=transport)
    client.get(f"{HOST}/a")
    with pytest.raises(Miss):
        client.get(f"{HOST}/b")
    assert [(request.method, request.url, reply.body) for request, reply in seen] == [("GET", f"{HOST}/a", b"x")]


def test_a_changed_response_does_not_change_the_recording():
    """Clients own their headers: what one adds, the next does not see."""
    client = httpx2.Client(transport=ReplayTransport(_recordings(_item(f"{HOST}/a")), Cursor()))
    client.get(f"{HOST}/a").headers["x-mine"] = "1"
    assert "x-mine" not in client.get(f"{HOST}/a").headers
