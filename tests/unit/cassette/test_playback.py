from pathlib import Path

import pytest

from caia_replay.cassette.cassette import Cassette, Interaction
from caia_replay.cassette.playback import read_playback
from caia_replay.cassette.recordings import Cursor, MemoryStore, Recordings
from caia_replay.errors import BadInput, Miss

HOST = "https://h.example"
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


def test_no_file_no_modes(tmp_path: Path) -> None:
    """The default needs no file, and an empty file is the default."""
    assert read_playback(tmp_path / "playback.toml", _store()) == {}
    assert read_playback(_written(tmp_path), _store()) == {}


@pytest.mark.parametrize(
    ("entries", "told"),
    [
        ([f'url = "{HOST}/x?a=1&b="\nmode = "twice"'], "mode"),
        ([f'url = "{HOST}/x?a=1&b="'], "mode"),
        ([f'url = "{HOST}/x?a=1&b="\nmode = "once"\nkind = 1'], "kind"),
        (['url = "x"\nmode = "once"'], "URL"),
        ([f'url = "{HOST}/x?a=1"\nmode = "once"'], rf"GET {HOST}/x\?a=1 is not recorded; nearest: .*{HOST}/x\?a=1&b="),
        ([f'url = "{HOST}/zz"\nmode = "once"'], "is not recorded; nearest: "),
        ([f'url = "{HOST}/x?a=1&b="\nmode = "once"', f'url = "{HOST}/x?b=&a=1"\nmode = "cycle"'], "two entries"),
        (["url = "], "not a TOML file"),
    ],
)
def test_an_entry_that_would_not_do_what_it_says_is_refused(tmp_path: Path, entries: list[str], told: str) -> None:
    """One line that names the file: unknown modes and fields, no URL, nothing recorded, two modes for one question."""
    path = _written(tmp_path, *entries)
    with pytest.raises(BadInput, match=rf"playback\.toml: .*(?i:{told})"):
        read_playback(path, _store())


def test_nothing_recorded_has_no_nearest(tmp_path: Path) -> None:
    """An entry in a world without recordings is refused, too."""
    with pytest.raises(BadInput, match="is not recorded"):
        read_playback(_written(tmp_path, f'url = "{HOST}/x"\nmode = "once"'), MemoryStore([]))
