"""Behaviour of a sealed file that is kept open."""

from __future__ import annotations

import io
import os
import random
from contextlib import suppress
from pathlib import Path

import pytest

from caia_replay import canonical
from caia_replay.chain.sealed_file import SealedFile, seal_command, stream_digest
from caia_replay.errors import BadInput, SealBroken

CONTENT = random.Random(1).randbytes(2_500_000)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "table.parquet"
    path.write_bytes(CONTENT)
    return path


@pytest.fixture
def file(path: Path) -> SealedFile:
    return SealedFile(path, canonical.digest_bytes(CONTENT))


def put_back_times(path: Path, before: os.stat_result) -> None:
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_the_digest_in_pieces_is_the_digest_of_the_whole(path: Path, file: SealedFile) -> None:
    """Several pieces, one SHA-256; another content is refused with both ways out."""
    file.check_digest()
    descriptor = os.open(path, os.O_RDONLY)
    assert stream_digest(descriptor, path) == canonical.digest_bytes(CONTENT)
    os.close(descriptor)
    path.write_bytes(CONTENT[:-1])
    with pytest.raises(SealBroken, match=r"table\.parquet: was changed.*git checkout.*lint --seal"):
        file.check_digest()
    assert seal_command(path.parent).endswith(str(path.parent))


def test_a_view_reads_like_a_file(file: SealedFile) -> None:
    """Seeking from start, here and end, and reading any number of bytes, as an ordinary file does."""
    view, plain = file.view(), io.BytesIO(CONTENT)
    assert view.readable() and view.seekable()
    for offset, whence, size in ((10, 0, 5), (7, 1, 9), (-4, 2, 2), (0, 1, 100), (3, 0, 0), (-9, 2, -1)):
        assert view.seek(offset, whence) == plain.seek(offset, whence)
        assert view.read(size) == plain.read(size)
        assert view.tell() == plain.tell()


@pytest.mark.parametrize("change", ["in place", "times put back", "truncated", "replaced", "gone"])
def test_what_changed_is_not_read(path: Path, file: SealedFile, change: str) -> None:
    """However the content changed, nothing that was read afterwards is given out, and not later either."""
    before = path.stat()
    assert file.unchanged(lambda: file.read_at(0, 4)) == CONTENT[:4]
    if change == "gone":
        path.unlink()
    elif change == "replaced":
        other = path.with_name("other")
        other.write_bytes(b"\0" * len(CONTENT))
        other.rename(path)
    else:
        path.write_bytes(CONTENT[:-1] + (b"" if change == "truncated" else b"\0"))
    if change == "times put back":
        put_back_times(path, before)
    for _ in range(2):
        with pytest.raises(SealBroken, match=r"table\.parquet"):
            file.unchanged(lambda: file.read_at(0, 4))
    path.write_bytes(CONTENT)
    assert file.unchanged(lambda: file.read_at(0, 4)) == CONTENT[:4]


def test_a_change_while_it_is_read_is_seen(path: Path, file: SealedFile) -> None:
    """What was read between two changes is thrown away."""

    def read() -> bytes:
        path.write_bytes(b"\0" * len(CONTENT))
        return file.read_at(0, 4)

    with pytest.raises(SealBroken):
        file.unchanged(read)


def test_the_same_content_again_is_no_change(path: Path, file: SealedFile) -> None:
    """A file that was touched, or written again as it was, is read on, also from its new place on disk."""
    path.chmod(0o600)
    assert file.unchanged(lambda: file.read_at(5, 3)) == CONTENT[5:8]
    path.unlink()
    path.write_bytes(CONTENT)
    assert file.unchanged(lambda: file.read_at(5, 3)) == CONTENT[5:8]


def test_no_descriptor_is_left_behind(path: Path) -> None:
    """Opening, refusing and forgetting files leaves no more of them open than before."""
    listing = Path("/proc/self/fd")
    if not listing.is_dir():
        pytest.skip("no list of open files on this system")

    def open_here() -> int:  # of this file alone: what other tests left may be closed at any time
        return sum(os.path.realpath(found) == str(path.resolve()) for found in listing.iterdir())

    assert open_here() == 0
    held = SealedFile(path, canonical.digest_bytes(CONTENT))
    held.check_digest()
    assert open_here() == 1
    del held
    for digest in (canonical.digest_bytes(CONTENT), "sha256:" + "0" * 64) * 5:
        file = SealedFile(path, digest)
        with suppress(SealBroken):
            file.check_digest()
        del file
    assert open_here() == 0


def test_what_cannot_be_read_is_bad_input(tmp_path: Path) -> None:
    """A folder in place of a file, and no file at all, are one line each."""
    with pytest.raises(SealBroken, match="is missing"):
        SealedFile(tmp_path / "none", "")
    with pytest.raises(BadInput, match="cannot be read"):
        SealedFile(tmp_path, "").check_digest()
