import json
import os
from pathlib import Path

import pytest

from caia_replay.cassette import cassette_file
from caia_replay.cassette.cassette import Cassette
from caia_replay.cassette.cassette_file import MAX_CASSETTE_BYTES, read_cassette, require_few_values
from caia_replay.errors import BadInput


def test_a_plain_file_is_read_whole(tmp_path: Path) -> None:
    """Up to the bound, through a link too: what a link may not do is the seal's to say."""
    (tmp_path / "c.json").write_bytes(b"12345")
    (tmp_path / "linked.json").symlink_to("c.json")
    assert read_cassette(tmp_path / "c.json") == read_cassette(tmp_path / "linked.json") == b"12345"


def test_a_pipe_a_device_and_a_large_file_are_not_read(tmp_path: Path) -> None:
    """Nothing waits for a writer, reads without end, or holds more than the bound; missing files say so."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero"), tmp_path, tmp_path / "none"):
        with pytest.raises(BadInput, match="cannot read the cassette"):
            read_cassette(path)
    with (tmp_path / "large").open("wb") as file:
        file.truncate(MAX_CASSETTE_BYTES + 1)
    with pytest.raises(BadInput, match="more than 268435456 bytes; next: split it"):
        read_cassette(tmp_path / "large")


def test_more_values_than_a_cassette_needs_are_refused_before_they_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Brackets and commas count between texts alone: bodies may hold any number."""
    monkeypatch.setattr(cassette_file, "MAX_VALUES", 1000)
    require_few_values(json.dumps(["[{," * 2000 + '"\\'] * 99).encode())
    for wide in (b"[" + b"[]," * 1001 + b"[]]", b'{"version":1,"interactions":[' + b"0," * 1001 + b"0]}"):
        with pytest.raises(ValueError, match="more than 1000 values"):
            require_few_values(wide)
        with pytest.raises(BadInput, match="not a JSON cassette: more than 1000 values"):
            Cassette.parse(wide, "c")
