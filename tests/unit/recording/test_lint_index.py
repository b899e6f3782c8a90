import os
import shutil
from dataclasses import replace

import pytest

from caia_replay.cassette.cassette import Cassette, write_cassette
from caia_replay.cassette.index_file import IndexFile, Row, is_of_key, write_index_file
from caia_replay.cassette.private_folder import index_key, private_folder
from caia_replay.cassette.recordings import identify_for
from caia_replay.cassette.row_bytes import row_bytes
from caia_replay.errors import BadInput
from caia_replay.recording.lint import lint
from caia_replay.recording.lint_index import index_faults, refuse_foreign_index
from caia_replay.store.world_folder import open_world, seal_world
from caia_replay.world.world import FrozenWorld


@pytest.fixture
def folder(mini):
    return open_world(str(mini / "cassettes" / "mini-6"))


def _place(folder):
    """The index that replay uses, made now."""
    with FrozenWorld(folder):
        pass
    (path,) = (folder.path.parents[1] / ".cache" / "http").glob("*.arrow")
    return path


def _key():
    key = index_key(private_folder())
    assert key is not None
    return key


def _rows(folder, change=lambda at, cassette, item: (cassette, item)):
    """The rows of a world's index, changed; a change to None leaves one out."""
    for place, path in enumerate(folder.cassettes()):
        for at, item in enumerate(Cassette.open(path).interactions):
            changed = change(at, place, item)
            if changed is not None:
                cassette, item = changed
                key, ids = identify_for({}, item.method, item.uri, item.request_body)
                yield Row(key, cassette, row_bytes(key, ids, item))


def test_the_index_in_use_says_what_the_cassettes_say(folder):
    """For the shared answers and for those of every task's own; lint opens the index that replay made, and no other."""
    path = _place(folder)
    assert list(index_faults(folder)) == []
    refuse_foreign_index(folder)
    assert [found.name for found in path.parent.iterdir()] == [path.name]


def test_a_sealed_index_that_says_otherwise_is_found(folder):
    """A body, a missing answer, an answer more: what this user's own code sealed is not believed either."""
    path = _place(folder)
    cases = {
        "otherwise": lambda at, cassette, item: (cassette, replace(item, body=item.body + b"!") if not at else item),
        "other questions": lambda at, cassette, item: None if cassette == 3 else (cassette, item),
    }
    for told, change in cases.items():
        write_index_file(path, list(_rows(folder, change)), _key())
        found = list(index_faults(folder))
        assert any(told in what for what in found), (told, found)
        assert all("next: rm -r .cache" in what for what in found)
    write_index_file(path, [*_rows(folder), *list(_rows(folder))[:1]], _key())
    (longer,) = set(index_faults(folder))
    assert "otherwise" in longer
    write_index_file(path, list(_rows(folder)), _key())
    assert list(index_faults(folder)) == []


def test_an_index_that_lets_another_cassette_win_is_found(folder, monkeypatch):
    """Which of two cassettes answers is looked at as well: reversed, as a fault of the code would have it, is told."""
    shared = Cassette.open(folder.path / "http" / "pages.json").interactions
    write_cassette(folder.path / "http" / "second.json", [replace(shared[0], body=b"{}")])
    seal_world(folder.path)
    folder = open_world(str(folder.path))
    assert list(index_faults(folder)) == []
    find = IndexFile.find
    monkeypatch.setattr(IndexFile, "find", lambda self, wanted: dict(reversed(find(self, wanted).items())))
    (found,) = index_faults(folder)
    assert shared[0].uri in found


def test_the_index_of_another_cassette_is_refused_by_name(mini, folder):
    """Copied into this world's place: one line and what to remove. Replay heals it, and then lint is content."""
    shutil.copytree(folder.path, mini / "cassettes" / "other")
    (mini / "cassettes" / "other" / "http" / "pages.json").write_text('{"version": 1, "interactions": []}')
    seal_world(mini / "cassettes" / "other")
    path = _place(folder)
    with FrozenWorld(open_world(str(mini / "cassettes" / "other"))):
        pass
    (foreign,) = path.parent.glob("other-*.arrow")
    shutil.copy(foreign, path)
    with pytest.raises(BadInput) as caught:
        list(lint(folder.path))
    assert str(caught.value) == f"{path}: an index that was made of other cassettes, or changed since; next: rm {path}"
    with FrozenWorld(folder) as world:
        assert len(world.corpus) > 5
    assert list(lint(folder.path)) == []


@pytest.mark.parametrize("data", [b"", b"ARROW1\0\0", b"x" * 5000])
def test_what_no_key_of_this_user_made_is_built_anew_without_a_word(folder, data):
    """Garbage, a cut file or a stranger's index prove nothing, so there is nothing to tell."""
    path = _place(folder)
    path.write_bytes(data)
    refuse_foreign_index(folder)
    assert list(index_faults(folder)) == [] and path.stat().st_size > 5000


def test_an_index_under_another_key_is_nobody_s(folder):
    """A row is proven by the key that made it alone; a link, a pipe and a missing file prove nothing."""
    path = _place(folder)
    assert is_of_key(path, _key())
    assert not is_of_key(path, bytes(32))
    link, pipe = path.with_name("link"), path.with_name("pipe")
    link.symlink_to(path)
    os.mkfifo(pipe)
    assert not any(is_of_key(one, _key()) for one in (link, pipe, path.with_name("none")))
