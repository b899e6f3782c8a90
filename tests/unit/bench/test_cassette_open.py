import mmap
from pathlib import Path

import pytest

from caia_replay.bench.cassette_open import by_index, by_parsing, private_mb
from caia_replay.bench.http import cassette
from caia_replay.cassette.index import Source


def test_both_ways_to_open_give_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is timed against parsing holds every request and reply that parsing finds, and does come from an index."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    path = tmp_path / "c.json"
    path.write_bytes(cassette(12))
    source = Source.of(path)
    assert [*by_index(path, source).requests()] == [*by_parsing(path, source).requests()]
    assert len([*(tmp_path / ".cache").glob("c-*.arrow")]) == 1


def test_private_memory_is_what_is_not_shared() -> None:
    """Pages written to count."""
    before = private_mb()
    with mmap.mmap(-1, 20 * 2**20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as held:
        assert private_mb() - before < 5
        held.write(b"x" * len(held))
        assert 15 < private_mb() - before < 60
