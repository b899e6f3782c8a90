"""Cassette files: strict, vcrpy's own form, binary bodies beside them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import httpx2
import pytest
import vcr
from hypothesis import given
from hypothesis import strategies as st
from vcr.serialize import deserialize
from vcr.serializers import yamlserializer

from caia_replay.cassette import cassette as module
from caia_replay.cassette import side_file
from caia_replay.cassette.cassette import (
    ENCODING_HEADERS,
    Cassette,
    Interaction,
    bodies_of,
    cassette_bytes,
    write_cassette,
)
from caia_replay.cassette.recordings import Cursor, Recordings
from caia_replay.cassette.side_file import is_text, read_side_file, side_files, side_name, strays, write_side_files
from caia_replay.errors import BadInput
from caia_replay.store.plain_file import require_few_values


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


BINARY = b"\x89PNG\xff"


def _with_side_files(tmp_path):
    items = [
        _item("https://h.example/image", BINARY),
        _item("https://h.example/post", b"ok", b"\xff\xfe", "POST"),
        _item("https://h.example/text", b"words"),
    ]
    write_cassette(tmp_path / "c.json", items)
    return items


def test_binary_bodies_live_beside_the_cassette(tmp_path):
    """Both kinds of body come back; the cassette lists its side files, a text-only one has no such list."""
    items = _with_side_files(tmp_path)
    assert sorted(Cassette.open(tmp_path / "c.json").interactions, key=lambda item: item.uri) == items
    listed = json.loads((tmp_path / "c.json").read_bytes())["side_files"]
    assert listed == sorted(f"bodies/{path.name}" for path in (tmp_path / "bodies").iterdir()) and len(listed) == 2
    assert "side_files" not in json.loads(cassette_bytes(items[2:]))


@given(st.lists(st.tuples(st.binary(max_size=6), st.binary(max_size=6)), max_size=5))
def test_any_bytes_come_back(pairs):
    """Whatever the bodies of requests and replies hold, the file and its side files give them back."""
    items = [_item(f"https://h.example/{i}", body, sent, "POST") for i, (sent, body) in enumerate(pairs)]
    beside = side_files(bodies_of(items))
    read = Cassette.parse(cassette_bytes(items), "c", beside.__getitem__).interactions
    assert sorted(read, key=lambda item: item.uri) == items


def test_stock_vcrpy_replays_the_text_and_stops_at_side_files(tmp_path) -> None:
    """Every text hit replays in vcrpy; a binary one is an error there, never another body."""
    _with_side_files(tmp_path)
    player = vcr.VCR(serializer="json", record_mode="none", match_on=("method", "uri"))
    with player.use_cassette(str(tmp_path / "c.json")), httpx2.Client() as client:
        assert client.get("https://h.example/text").content == b"words"
        assert client.post("https://h.example/post", content=b"\xff\xfe").content == b"ok"
        with pytest.raises(KeyError, match="string"):
            client.get("https://h.example/image")


def test_the_list_of_side_files_must_be_theirs(tmp_path):
    """A missing list, a longer one, a list without use and a cassette without its folder are refused."""
    _with_side_files(tmp_path)
    path = tmp_path / "c.json"
    good = json.loads(path.read_bytes())
    names = good["side_files"]
    for wrong in (None, [], names[:1], names[::-1], [*names, names[0]], "x", {}):
        path.write_text(json.dumps(good | {"side_files": wrong}))
        with pytest.raises(BadInput, match="side_files does not list"):
            Cassette.open(path)
    plain = json.loads(cassette_bytes([_item()]))
    for wrong in ([], names):
        with pytest.raises(BadInput, match="side_files does not list"):
            Cassette.parse(json.dumps(plain | {"side_files": wrong}).encode(), "c")
    with pytest.raises(BadInput, match="no folder to read it from"):
        Cassette.parse(json.dumps(good).encode(), "c")


def test_a_side_file_leads_nowhere_else_and_headers_claim_no_encoding(tmp_path) -> None:
    """Only bodies/<sha256>.bin is a name; nothing may claim that a decoded body is still encoded."""
    for name in ["../c.json", "/etc/passwd", "bodies/../c.json", "bodies/x.bin", 7, None, "bodies/\x00"]:
        for place in ("response__body", "request__body"):
            (tmp_path / "c.json").write_bytes(_raw(**{place: {"file": name}}))
            with pytest.raises(BadInput, match=r"c\.json"):
                Cassette.open(tmp_path / "c.json")
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


def test_missing_and_empty_files_say_so_and_bodies_may_be_absent(tmp_path) -> None:
    """Where vcrpy would start an empty cassette; null stands for no body and no status message."""
    for place in (tmp_path / "none.json", tmp_path):
        with pytest.raises(BadInput, match="cannot read"):
            Cassette.open(place)
    for data in (b"", b" \n"):
        with pytest.raises(BadInput, match="the cassette is empty"):
            Cassette.parse(data, "c")
    opened = Cassette.parse(_raw(request__body=None, response__status__message=None), "c")
    assert (opened.interactions[0].request_body, opened.interactions[0].reason) == (b"", "")


@pytest.mark.parametrize("url", ["https://h.example/\x1b[2J", "https://h.example/a\r\nHost: b", "https://[::1:::]/",
                                 "https://h.example/\u202e", "https://me@h.example\x00/"])  # fmt: skip
def test_a_url_that_clients_or_terminals_read_otherwise_is_refused(tmp_path, url):
    """Control characters, and what cannot be taken apart; the one line carries none of them."""
    with pytest.raises(BadInput, match=r"its URL (holds control characters|cannot be taken apart)") as caught:
        Cassette.parse(_raw(request__uri=url), "c")
    assert str(caught.value).isprintable()


def test_nothing_is_written_that_would_not_be_opened_again(tmp_path, monkeypatch):
    """A cassette over the bound is refused when it is made, and leaves no file."""
    monkeypatch.setattr(module, "MAX_CASSETTE_BYTES", 5_000)
    write_cassette(tmp_path / "c.json", [_item(body=b"x" * 4_000)])
    with pytest.raises(BadInput, match="more than 5000"):
        write_cassette(tmp_path / "d.json", [_item(body=b"\0" * 4_000)])
    assert [path.name for path in tmp_path.iterdir()] == ["c.json"]


@pytest.mark.check
@pytest.mark.real
def test_real_recordings_survive_our_file(real_data: Path):
    """Every interaction of other people's cassettes, once decoded, is written, opened and played the same."""
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
            items.append(item)
    assert len(items) == 184
    recordings, cursor = Recordings([Cassette.parse(cassette_bytes(items), "real")]), Cursor()
    for item in items:
        reply = recordings.play(item.method, item.uri, item.request_body, cursor)
        assert (reply.status, reply.body) == (item.status, item.body)


def test_a_pipe_a_device_and_a_large_file_are_not_read(tmp_path: Path) -> None:
    """Nothing waits for a writer, reads without end, or holds more than the bound; missing files say so."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero"), tmp_path, tmp_path / "none"):
        with pytest.raises(BadInput, match="cannot read the cassette"):
            module.read_cassette(path)
    with (tmp_path / "large").open("wb") as file:
        file.truncate(module.MAX_CASSETTE_BYTES + 1)
    with pytest.raises(BadInput, match="more than 268435456 bytes; next: split it"):
        module.read_cassette(tmp_path / "large")


def test_more_values_than_a_cassette_needs_are_refused_before_they_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Brackets and commas count between texts alone: bodies may hold any number."""
    monkeypatch.setattr(module, "MAX_VALUES", 1000)
    require_few_values(json.dumps(["[{," * 2000 + '"\\'] * 99).encode(), 1000)
    for wide in (b"[" + b"[]," * 1001 + b"[]]", b'{"version":1,"interactions":[' + b"0," * 1001 + b"0]}"):
        with pytest.raises(ValueError, match="more than 1000 values"):
            require_few_values(wide, 1000)
        with pytest.raises(BadInput, match="not a JSON cassette: more than 1000 values"):
            Cassette.parse(wide, "c")


BODY = b"\x89PNG\xff"


def _written(folder, body=BODY):
    write_side_files(folder, [body])
    return folder / side_name(body)


@given(st.binary(max_size=40))
def test_a_body_is_text_or_has_one_file(body):
    """Text needs no file; anything else has one, named after its bytes."""
    found = side_files([body, body])
    assert found == ({} if is_text(body) else {side_name(body): body})


def test_what_is_written_is_read(tmp_path):
    """Equal bodies share a file, text writes none, and nothing but the files is left."""
    write_side_files(tmp_path, [BODY, BODY, b"text", b"", b"\xff"])
    assert [read_side_file(tmp_path, side_name(body)) for body in (BODY, b"\xff")] == [BODY, b"\xff"]
    assert sorted(f"bodies/{path.name}" for path in (tmp_path / "bodies").iterdir()) == list(
        side_files([BODY, b"\xff"])
    )
    write_side_files(tmp_path, [BODY])


def test_links_and_oddities_are_refused(tmp_path):
    """A linked file, a linked folder, a folder and a pipe in place of a file, and nothing at all."""
    path = _written(tmp_path / "a")
    name = side_name(BODY)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "bodies").symlink_to(path.parent, target_is_directory=True)
    for act in (lambda: read_side_file(tmp_path / "b", name), lambda: write_side_files(tmp_path / "b", [b"\xfe"])):
        with pytest.raises(BadInput):
            act()
    assert [found.name for found in path.parent.iterdir()] == [path.name]
    held = path.rename(tmp_path / "held")
    for make in (lambda: path.symlink_to(held), path.mkdir, lambda: os.mkfifo(path), lambda: None):
        make()
        with pytest.raises(BadInput, match="bodies"):
            read_side_file(tmp_path / "a", name)
        if path.is_dir():
            path.rmdir()
        else:
            path.unlink(missing_ok=True)


def test_size_is_bounded(tmp_path, monkeypatch):
    """Over the limit neither read nor written; at the limit both."""
    _written(tmp_path)
    assert read_side_file(tmp_path, side_name(BODY), limit_bytes=len(BODY)) == BODY
    with pytest.raises(BadInput, match="more than 4 bytes"):
        read_side_file(tmp_path, side_name(BODY), limit_bytes=4)
    monkeypatch.setattr(side_file, "MAX_BODY_BYTES", 4)
    with pytest.raises(BadInput, match="more than 4"):
        write_side_files(tmp_path / "b", [BODY])


def test_names_and_bytes_of_a_side_file_are_what_they_promise(tmp_path) -> None:
    """Other bytes, text in a side file, and names of another form never get through."""
    for name in ["", "bodies/", "../x", f"bodies/{'A' * 64}.bin", f"bodies/{'a' * 64}.bin\n",
                                  f"bodies//{'a' * 64}.bin", f"./bodies/{'a' * 64}.bin"]:  # fmt: skip
        with pytest.raises(BadInput, match="not the name of a side file"):
            read_side_file(tmp_path, name)
    (tmp_path / "bodies").mkdir()
    (tmp_path / side_name(b"text")).write_bytes(b"text")
    with pytest.raises(BadInput, match="text belongs in the cassette"):
        read_side_file(tmp_path, side_name(b"text"))
    path = _written(tmp_path)
    path.write_bytes(BODY + b"\x00")
    for act in (lambda: read_side_file(tmp_path, side_name(BODY)), lambda: write_side_files(tmp_path, [BODY])):
        with pytest.raises(BadInput, match="not those that the file's name promises"):
            act()


def test_strays_are_what_nobody_refers_to(tmp_path):
    """A body without a cassette and a file of another kind are told; a folder without bodies has none."""
    kept = _written(tmp_path)
    stray = _written(tmp_path, b"\xfe")
    (tmp_path / "bodies" / "note.txt").write_text("x")
    assert strays(tmp_path, [f"bodies/{kept.name}"]) == sorted([stray, tmp_path / "bodies" / "note.txt"])
    assert strays(tmp_path / "none", []) == []
