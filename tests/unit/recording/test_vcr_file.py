"""Cassettes of vcrpy read strictly, and the codings of their bodies undone within bounds."""

from __future__ import annotations

import gzip
import json
import os
import tracemalloc
import zlib

import pyarrow as pa
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.errors import BadInput
from caia_replay.recording import vcr_file
from caia_replay.recording.content_coding import decoded
from caia_replay.recording.vcr_file import MAX_DEPTH, read_vcr


def _raw_deflate(body):
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


def _brotli(body):
    return pa.compress(body, codec="brotli", asbytes=True)


def _zstd(body):
    return pa.compress(body, codec="zstd", asbytes=True)


PACK = {"gzip": gzip.compress, "x-gzip": gzip.compress, "deflate": zlib.compress, "identity": lambda body: body,
        "br": _brotli, "zstd": _zstd}  # fmt: skip
RAW = b"\xff" + b"words " * 200


@given(st.binary(max_size=300), st.lists(st.sampled_from(sorted(PACK)), max_size=3))
def test_what_was_encoded_is_decoded(body, names):
    """Any stack of codings is undone from the last to the first, in one header line or several; nothing is nothing."""
    packed = body
    for name in names:
        packed = PACK[name](packed)
    assert decoded(packed, [", ".join(names)], from_the_wire=True) == body
    assert decoded(packed, [name.upper() for name in names], from_the_wire=True) == body
    assert decoded(b"", names) == decoded(b"", names, from_the_wire=True) == b""


@pytest.mark.parametrize("text", ["价", '{"a": 1}', "(a)", "words that are long enough to be certain", "3" * 40])
@pytest.mark.parametrize("name", ["gzip", "zstd", "br"])
def test_text_under_a_coding_was_decoded_by_its_recorder(name, text):
    """No gzip or zstd stream is text, no brotli stream a long one; on the wire nobody has decoded anything."""
    if name != "br" or len(text) >= 16:
        assert decoded(text.encode(), [name]) == text.encode()
    else:
        with pytest.raises(BadInput):
            decoded(text.encode(), [name])
    with pytest.raises(BadInput):
        decoded(text.encode(), [name], from_the_wire=True)


@pytest.mark.parametrize("cut", [1, 9, 12, 200])
@pytest.mark.parametrize(("name", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress), ("zstd", _zstd),
                                            ("deflate", _raw_deflate), ("br", _brotli)])  # fmt: skip
def test_a_cut_or_continued_body_is_refused(name, pack, cut):
    """Neither half a body nor one with something behind it, nor a gzip whose check sum is not held to."""
    body = bytes(range(256)) * 4
    packed = pack(body)
    for broken in (packed[:cut], packed[:-1], packed + b"more", packed + b"\xff", packed + _brotli(b"more")):
        with pytest.raises(BadInput):
            decoded(broken, [name])
    assert decoded(packed, [name]) == body
    changed = bytearray(gzip.compress(body, mtime=0))
    changed[-6] ^= 1
    with pytest.raises(BadInput, match="does not decode as gzip"):
        decoded(bytes(changed), ["gzip"])
    # To a brotli decoder "33" is two streams of nothing; an empty answer would be invented.
    for text in (b"33", b"1" * 20 + b"3", b";;", b"7777777777777777777777"):
        with pytest.raises(BadInput):
            decoded(text, ["br"], from_the_wire=True)


def test_growth_is_bounded():
    """A body at the limit decodes, one byte more is refused, in one layer, in several, and in several members."""
    limit = 10_000
    for pack, name in [*((pack, name) for name, pack in PACK.items()), (_raw_deflate, "deflate")]:
        assert len(decoded(pack(b"\0" * limit), [name], limit)) == limit
        with pytest.raises(BadInput, match="more than"):
            decoded(pack(b"\0" * (limit + 1)), [name], limit)
    for body, names, words in (
        (gzip.compress(gzip.compress(b"\0" * 10**7)), ["gzip, gzip"], "more than"),
        (gzip.compress(b"\0" * 6_000) * 2, ["gzip"], "more than"),
        (gzip.compress(b"") * 101, ["gzip"], "more than 100 gzip members"),
        (b"\xff", ["gzip"] * 4, "encoded 4 times"),
        (RAW, ["gzip, sdch"], "encoded as 'sdch'"),
        (b"\xff" * (limit + 1), [], "more than"),
    ):
        with pytest.raises(BadInput, match=words):
            decoded(body, names, limit)
    assert decoded(gzip.compress(b"a") + gzip.compress(b"b") + b"\0\0", ["gzip"]) == b"ab"


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd"])
def test_a_bomb_is_not_unpacked(name):
    """What is refused for its size was never held: 64 MiB of nothing cost little more than the bound."""
    packed = PACK[name](b"\0" * 2**26)
    tracemalloc.start()
    try:
        with pytest.raises(BadInput, match="more than"):
            decoded(packed, [name], 2**20)
        assert tracemalloc.get_traced_memory()[1] < 2**23
    finally:
        tracemalloc.stop()


REPLY = """
  response:
    status: {code: 200, message: OK}
    headers: {a: [b]}
    body: {string: x}
"""
GOOD = f"""version: 1
interactions:
- request: {{method: GET, uri: 'https://h.example/a', body: null, headers: {{}}}}{REPLY}"""


def _read(tmp_path, text, name="c.yaml"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    return read_vcr(path)


def _value(**change):
    """A good cassette's value, with one field changed by its dotted path; ``...`` takes the field away."""
    value = {"version": 1, "interactions": [{
        "request": {"method": "GET", "uri": "https://h.example/a", "body": None, "headers": {"Accept": ["x"]}},
        "response": {"status": {"code": 200, "message": "OK"}, "headers": {}, "body": {"string": "x"}},
    }]}  # fmt: skip
    for path, new in change.items():
        at = value["interactions"][0] if not path.startswith("top__") else value
        *parents, last = path.removeprefix("top__").split("__")
        for name in parents:
            at = at[name]
        if new is ...:
            del at[last]
        else:
            at[last] = new
    return value


@given(st.binary(max_size=60), st.binary(max_size=60))
def test_yaml_and_json_say_the_same(tmp_path_factory, body, sent):
    """Bodies of any bytes come out of YAML as they went in, and text ones out of JSON."""
    folder = tmp_path_factory.getbasetemp() / "vcr"
    folder.mkdir(exist_ok=True)
    value = _value(response__body__string=body, request__body=sent)
    read = _read(folder, yaml.dump(value))
    assert [(item.body, item.request_body) for item in read] == [(body, sent)]
    text = _value(response__body__string=body.decode("latin-1"), request__body=sent.decode("latin-1"))
    assert _read(folder, json.dumps(text), "c.json") == _read(folder, yaml.dump(text))


@pytest.mark.parametrize(
    "text",
    [
        "", " \n", b"\xff\xfe", "\x00", "{", "[]", "null", "7", "version: 1", "- request: {}\n", "a: b\n---\nc: d",
        "version: 1\ninteractions: {}", "version: 2\ninteractions: []", "version: '1'\ninteractions: []",
        "version: 1\nversion: 1\ninteractions: []", "version: 1\ninteractions: []\nmore: 1", "interactions: []",
        '{"version": 1, "version": 1, "interactions": []}', '{"version": 1, "interactions": [NaN]}',
        '{"version": 1, "interactions": ' + "[" * 100_000, '{"version": 1, "interactions": [' + "9" * 10_000 + "]}",
        "http_interactions:\n- request: {}\nrecorded_with: VCR 6.0.0",
        GOOD.replace("x}", "!!python/object/apply:os.system ['exit 1']}"),
        GOOD.replace("x}", "!!python/name:os.system }"), GOOD.replace("x}", "!!set {a, b}}"),
        GOOD.replace("x}", "2020-01-01}"), GOOD.replace("x}", '"\\ud800"}'), GOOD.replace("x}", "x"),
        GOOD.replace("x}", "!!binary '!'}"), GOOD.replace("x}", "!!binary 'aGk'}"),
        GOOD.replace("body: {", "body: {<<: {string: y}, "),
        GOOD.replace("null", "!!python/object/apply:builtins.iter {args: [[1, 2]]}"),
        GOOD.replace("null", "!!python/object/new:_io.BytesIO {state: 7}"), GOOD.replace("null", "{a: b}"),
        GOOD.replace("code: 200", "code: 2e2"), GOOD.replace("code: 200", "code: '200'"),
        GOOD.replace("{a: [b]}", "{a: [1]}"), GOOD.replace("{a: [b]}", "{1: [b]}"), GOOD.replace("{a: [b]}", "[a]"),
        GOOD.replace("{a: [b]}", "{[a]: b}"), GOOD.replace("{a: [b]}", "{a: [!!binary /w==]}"),
        GOOD.replace("method: GET", "method: 7"), GOOD.replace("method: GET, ", ""),
        GOOD.replace("'https://h.example/a'", "'http://[::'"),
    ],
)  # fmt: skip
def test_anything_off_is_refused(tmp_path, text):
    """One line that names the file; never an empty cassette, never a traceback, and nothing of it is run."""
    with pytest.raises(BadInput) as caught:
        _read(tmp_path, text)
    assert str(caught.value).startswith(f"{tmp_path / 'c.yaml'}: ") and "\n" not in str(caught.value)


def test_bombs_are_refused_before_they_are_built(tmp_path, monkeypatch):
    """Aliases, lists that hold themselves, depth and long numbers; a missing file, a folder, a pipe, one too large."""
    laughs = "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
    for here, below in zip("bcdefghij", "abcdefghi"):
        laughs += f"{here}: &{here} [{', '.join([f'*{below}'] * 10)}]\n"
    long = f"a: &a {'x' * 10**6}\nb: [{', '.join(['*a'] * 100)}]\n"
    for bomb, reason in [
        (laughs, "unfolds to more than"),
        (long, "unfolds to more than"),
        ("a: &a [*a]\n", "for itself or for nothing"),
        ("a: *b\n", "alias|undefined"),
        ("a: " + "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "nested more than"),
        (f"a: !!int '1{':1' * 100_000}'", "a number of 200001 characters"),
        ("a: " + "9" * 5_000, "a number of 5000 characters"),
    ]:
        with pytest.raises(BadInput, match=reason):
            _read(tmp_path, bomb + "\n" + GOOD)
    os.mkfifo(tmp_path / "pipe")
    for name in ("none", ".", "pipe"):
        with pytest.raises(BadInput, match=r"cannot be read|not a plain file"):
            read_vcr(tmp_path / name)
    monkeypatch.setattr(vcr_file, "MAX_FILE_BYTES", 10)
    with pytest.raises(BadInput, match="more than 10 bytes"):
        _read(tmp_path, GOOD)


def test_every_form_of_a_cassette_is_read(tmp_path):
    """YAML's aliases and vcrpy's tags, JSON's pairs of halves, and the form before version 6 for httpx."""
    (item,) = _read(tmp_path, GOOD)
    assert (item.method, item.uri, item.status, item.body, item.headers) == (
        "GET", "https://h.example/a", 200, b"x", {"a": ("b",)})  # fmt: skip
    assert _read(tmp_path, "version: 1\ninteractions: []") == []
    text = json.dumps(_value(response__body__string="\U0001f4c8"))
    assert "\\ud83d" in text  # which YAML would take for two halves
    for name in ("c.json", "c.yaml", "c"):
        assert _read(tmp_path, text, name)[0].body == "\U0001f4c8".encode()
    old = {"status_code": 404, "http_version": "HTTP/1.1", "headers": {"A": ["b"]}, "content": b"\xffx"}
    (item,) = _read(tmp_path, yaml.dump(_value(response=old)))
    assert (item.status, item.reason, item.body, item.headers) == (404, "", b"\xffx", {"a": ("b",)})
    for tag, body in (
        ("!!python/object/new:_io.BytesIO {state: !!python/tuple [!!binary aGk=]}", b"hi"),
        ("!!python/object/apply:builtins.iter {args: [[!!binary aGk=, !!binary IQ==]]}", b"hi!"),
    ):
        assert _read(tmp_path, GOOD.replace("body: null", f"body: {tag}"))[0].request_body == body
