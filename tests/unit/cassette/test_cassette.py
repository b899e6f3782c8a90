import json
import random
from pathlib import Path

import httpx2
import pytest
import vcr
from hypothesis import given, settings
from hypothesis import strategies as st
from vcr.serialize import deserialize
from vcr.serializers import yamlserializer

from caia_replay.cassette.cassette import ENCODING_HEADERS, Cassette, Interaction, cassette_bytes, write_cassette
from caia_replay.cassette.recordings import Cursor, Recordings
from caia_replay.errors import BadInput


def _item(url="https://h.example/a", body=b"{}", request_body=b"", method="GET", **more):
    fields = {"status": 200, "reason": "OK", "headers": {"content-type": ("application/json",)}} | more
    return Interaction(method, url, request_body, {"accept": ("*/*",)}, fields["status"], fields["reason"],
                       fields["headers"], body)  # fmt: skip


def _raw(**change):
    """A good interaction as JSON, with one field changed by its dotted path."""
    value = json.loads(cassette_bytes([_item()]))
    for path, new in change.items():
        at = value["interactions"][0]
        *parents, last = path.split("__")
        for name in parents:
            at = at[name]
        if new is ...:
            del at[last]
        else:
            at[last] = new
    return json.dumps(value).encode()


def test_what_is_written_is_what_is_opened(tmp_path):
    """Bodies, repeated headers and statuses survive the file; its digest is over its bytes."""
    item = _item(body="価格 \U0001f4c8 \x00".encode(), headers={"link": ("a", "b")}, status=429, reason="")
    write_cassette(tmp_path / "deep" / "c.json", [item])
    opened = Cassette.open(tmp_path / "deep" / "c.json")
    assert opened.interactions == (item,)
    assert opened.digest.startswith("sha256:") and [p.name for p in (tmp_path / "deep").iterdir()] == ["c.json"]


@settings(max_examples=20, deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_bytes_do_not_depend_on_the_order_of_questions(shuffler):
    """Sorted by identity; answers to one question keep their recorded order."""
    items = [_item(f"https://h.example/{i % 4}", f'{{"n":{i}}}'.encode()) for i in range(12)]
    groups = [items[i::4] for i in range(4)]
    shuffler.shuffle(groups)
    assert cassette_bytes([item for group in groups for item in group]) == cassette_bytes(items)
    answers = [i.body for i in Cassette.parse(cassette_bytes(items), "c").interactions if i.uri.endswith("/2")]
    assert answers == [b'{"n":2}', b'{"n":6}', b'{"n":10}']


def test_stock_vcrpy_replays_the_file(tmp_path):
    """vcrpy's own player, matching the body too, gives every status, header and body we wrote."""
    items = [
        _item("https://h.example/a?x=1&y=", "价格".encode()),
        _item("https://h.example/b", b'{"r":1}', b'{"q":1}', "POST", status=402, reason="Payment Required"),
        _item("https://h.example/a?x=2", b"", status=301, headers={"location": ("https://h.example/b",)}),
    ]
    write_cassette(tmp_path / "c.json", items)
    player = vcr.VCR(serializer="json", record_mode="none", match_on=("method", "uri", "body"))
    with player.use_cassette(str(tmp_path / "c.json")) as tape, httpx2.Client() as client:
        for item in items:
            reply = client.request(item.method, item.uri, content=item.request_body)
            assert (reply.status_code, reply.content) == (item.status, item.body)
        assert tape.all_played


def test_a_binary_body_is_refused_with_its_place():
    """vcrpy's JSON form has no place for bytes that are not text."""
    with pytest.raises(BadInput, match=r"reply body of GET https://h.example/a is binary \(2 bytes\)"):
        cassette_bytes([_item(body=b"\xff\xfe")])
    with pytest.raises(BadInput, match="request body"):
        cassette_bytes([_item(request_body=b"\xff")])


def test_a_kept_encoding_header_is_refused():
    """Nothing may claim that a decoded body is still encoded, when written and when opened."""
    for name in ("Content-Encoding", "content-length", "TRANSFER-ENCODING"):
        with pytest.raises(BadInput, match="stored decoded"):
            cassette_bytes([_item(headers={name: ("gzip",)})])


@pytest.mark.parametrize(
    "data",
    [
        b"", b"\xff", b"{", b"null", b"[]", b"{}", b'{"version":1}', b'{"version":1,"interactions":{}}',
        b'{"version":2,"interactions":[]}', b'{"version":true,"interactions":[]}', b'{"version":1.0,"interactions":[]}',
        b'{"version":1,"version":1,"interactions":[]}', b'{"version":1,"interactions":[],"x":0}',
        b'{"version":1,"interactions":[NaN]}', b"[" * 200_000, b"9" * 10_000, b'{"version":1,"interactions":[7]}',
        _raw(request=...), _raw(request__uri="/a"), _raw(request__uri=7), _raw(request__method=""),
        _raw(request__body=1), _raw(request__body="\ud800"), _raw(request__headers=[]),
        _raw(request__headers={"a": "b"}),
        _raw(request__extra=1), _raw(response__status=200), _raw(response__status__code="200"),
        _raw(response__status__code=True), _raw(response__status__code=10**400), _raw(response__status__message="\n"),
        _raw(response__headers={"a": [1]}), _raw(response__headers={"a": []}), _raw(response__headers={"a b": ["c"]}),
        _raw(response__headers={"a": ["b\r\nc"]}), _raw(response__body={}), _raw(response__body__string=None),
        _raw(response__body__string="\udfff"),
    ],
)  # fmt: skip
def test_anything_off_is_bad_input(tmp_path, data):
    """One line with the file and the next command; never an empty cassette, never a traceback."""
    path = tmp_path / "c.json"
    path.write_bytes(data)
    with pytest.raises(BadInput) as caught:
        Cassette.open(path)
    assert "c.json" in str(caught.value) and "next: caia-replay lint" in str(caught.value)


def test_a_missing_cassette_is_bad_input(tmp_path):
    """Where vcrpy would start an empty one."""
    for place in (tmp_path / "none.json", tmp_path):
        with pytest.raises(BadInput, match="cannot read"):
            Cassette.open(place)


def test_a_cassette_without_bodies_opens():
    """null stands for no request body and no status message, as other vcrpy clients write them."""
    opened = Cassette.parse(_raw(request__body=None, response__status__message=None), "c")
    assert (opened.interactions[0].request_body, opened.interactions[0].reason) == (b"", "")


def test_a_cut_file_never_opens():
    """Every proper beginning of a good file is refused."""
    data = cassette_bytes([_item(), _item("https://h.example/b")])
    for at in random.Random(1).sample(range(len(data) - 1), 60):
        with pytest.raises(BadInput):
            Cassette.parse(data[:at], "c")


@pytest.mark.real
def test_real_recordings_survive_our_file(real_data: Path):
    """Every text interaction of other people's cassettes, once decoded, is written, opened and played the same."""
    items = []
    for path in sorted((real_data / "http-cassettes").rglob("*.yaml")):
        requests, responses = deserialize(path.read_text(encoding="utf-8"), yamlserializer)[:2]
        for request, response in zip(requests, responses):
            headers = {name: tuple(lines) for name, lines in response["headers"].items()}
            reply = httpx2.Response(200, headers=[(n, v) for n, lines in headers.items() for v in lines],
                                    content=response["body"]["string"])  # fmt: skip
            kept = {name: lines for name, lines in headers.items() if name.lower() not in ENCODING_HEADERS}
            item = Interaction(request.method, request.uri, request.body or b"", {}, response["status"]["code"],
                               response["status"]["message"] or "", kept, reply.content)  # fmt: skip
            try:
                cassette_bytes([item])
            except BadInput as error:
                assert "is binary" in str(error)
                continue
            items.append(item)
    assert len(items) > 150
    recordings, cursor = Recordings([Cassette.parse(cassette_bytes(items), "real")]), Cursor()
    for item in items:
        reply = recordings.play(item.method, item.uri, item.request_body, cursor)
        assert (reply.status, reply.body) == (item.status, item.body)
