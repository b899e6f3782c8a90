import gzip
import json
import os

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.errors import BadInput
from caia_replay.recording import vcr_file
from caia_replay.recording.vcr_file import MAX_DEPTH, read_vcr

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
    folder = tmp_path_factory.mktemp("c")
    value = _value(response__body__string=body, request__body=sent)
    read = _read(folder, yaml.dump(value))
    assert [(item.body, item.request_body) for item in read] == [(body, sent)]
    text = _value(response__body__string=body.decode("latin-1"), request__body=sent.decode("latin-1"))
    assert _read(folder, json.dumps(text), "c.json") == _read(folder, yaml.dump(text))


def test_json_is_read_as_json(tmp_path):
    """Characters outside the first plane are escaped as pairs in JSON, which YAML would take for two halves."""
    text = json.dumps(_value(response__body__string="\U0001f4c8"))
    assert "\\ud83d" in text
    for name in ("c.json", "c.yaml", "c"):
        assert _read(tmp_path, text, name)[0].body == "\U0001f4c8".encode()


def test_shared_parts_and_python_bodies_are_read(tmp_path):
    """Aliases that vcrpy's dumper writes, the tags it knows, and every form of a header value."""
    shared = ["one", "two"]
    value = _value(response__headers={"X-A": shared, "X-B": shared, "X-C": "three", "X-D": [b"four"]})
    text = yaml.dump(value)
    assert "&id001" in text
    (item,) = _read(tmp_path, text)
    assert item.headers == {"x-a": ("one", "two"), "x-b": ("one", "two"), "x-c": ("three",), "x-d": ("four",)}
    tagged = GOOD.replace("body: null", "body: !!python/object/new:_io.BytesIO {state: !!python/tuple [!!binary aGk=]}")
    assert _read(tmp_path, tagged)[0].request_body == b"hi"
    chunks = GOOD.replace(
        "body: null", "body: !!python/object/apply:builtins.iter {args: [[!!binary aGk=, !!binary IQ==]]}"
    )
    assert _read(tmp_path, chunks)[0].request_body == b"hi!"


def test_the_form_before_version_6_for_httpx_is_read(tmp_path):
    """status_code and content in place of status and body."""
    packed = gzip.compress(b"x")
    old = {"status_code": 404, "http_version": "HTTP/1.1", "headers": {"A": ["b"]}, "content": packed}
    (item,) = _read(tmp_path, yaml.dump(_value(response=old)))
    assert (item.status, item.reason, item.body, item.headers) == (404, "", packed, {"a": ("b",)})


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


def test_the_good_text_is_good(tmp_path):
    """What the refused ones were made from is read."""
    (item,) = _read(tmp_path, GOOD)
    assert (item.method, item.uri, item.status, item.body, item.headers) == (
        "GET", "https://h.example/a", 200, b"x", {"a": ("b",)})  # fmt: skip
    assert _read(tmp_path, "version: 1\ninteractions: []") == []


def test_bombs_are_refused_before_they_are_built(tmp_path):
    """Aliases that unfold to billions, a list that holds itself, depth, and numbers that take hours to read."""
    laughs = "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
    for here, below in zip("bcdefghij", "abcdefghi"):
        laughs += f"{here}: &{here} [{', '.join([f'*{below}'] * 10)}]\n"
    long = f"a: &a {'x' * 10**6}\nb: [{', '.join(['*a'] * 100)}]\n"
    for bomb, reason in [
        (laughs, "unfolds to more than"),
        (long, "unfolds to more than"),
        ("a: &a [*a]\n", "for itself or for nothing"),
        ("a: &a {b: *a}\n", "for itself or for nothing"),
        ("a: *b\n", "alias|undefined"),
        ("a: " + "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "nested more than"),
        ("a: " + "[" * 100_000, "nested more than"),
        ("a: 1" + ":1" * 100_000, "a number of 200001 characters"),
        (f"a: !!int '1{':1' * 100_000}'", "a number of 200001 characters"),
        ("a: " + "9" * 5_000, "a number of 5000 characters"),
    ]:
        with pytest.raises(BadInput, match=reason):
            _read(tmp_path, bomb + "\n" + GOOD)


def test_what_is_no_file_is_refused(tmp_path, monkeypatch):
    """A missing file, a folder, a pipe nobody writes to, and a file over the limit."""
    os.mkfifo(tmp_path / "pipe")
    for name in ("none", ".", "pipe"):
        with pytest.raises(BadInput, match=r"cannot be read|not a plain file"):
            read_vcr(tmp_path / name)
    monkeypatch.setattr(vcr_file, "MAX_FILE_BYTES", 10)
    with pytest.raises(BadInput, match="more than 10 bytes"):
        _read(tmp_path, GOOD)
