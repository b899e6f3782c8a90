"""Suites added to a user's folder, found from anywhere, and refused where they are not what they say."""

from __future__ import annotations

import shutil
import zipfile
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from caia_replay import home
from caia_replay.errors import BadInput, SealBroken
from caia_replay.installation import worlds
from caia_replay.interop.rpc_command import find_snapshot
from caia_replay.store.world_folder import (
    cache_of,
    find_task_world,
    find_world,
    open_world,
    save_task,
    save_world,
    seal_world,
)

ROOT = Path(__file__).parents[3]


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty HOME with a space in its path, and an empty current folder."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    monkeypatch.setenv(home.HOME_VARIABLE, str(tmp_path / "ein Ö"))
    return tmp_path / "ein Ö"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """mini-6 and its chain, in a folder of their own."""
    for name in ("cassettes/mini-6", "chain_snapshots/mini"):
        shutil.copytree(ROOT / name, tmp_path / "source" / name)
    return tmp_path / "source"


def zipped(source: Path, inside: str = "", extra: str = "") -> Path:
    """The folder as a zip file, below ``inside``, and perhaps one entry more."""
    path = source.parent / "worlds.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(source.rglob("*")):
            archive.write(file, f"{inside}{file.relative_to(source).as_posix()}")
        if extra:
            archive.writestr(extra, "x")
    return path


def said(line: str) -> None:
    """What is told meanwhile."""
    assert line and "\n" not in line


@pytest.mark.parametrize("form", ["folder", "world", "zip", "wheel"])
def test_a_world_is_added_and_found(own: Path, source: Path, form: str) -> None:
    """As a folder, one world's folder, a zip file or a wheel: found from an empty folder, with its chain and tasks."""
    with pytest.raises(BadInput, match=r"no suite 'mini-6'.*caia-replay worlds add"):
        find_world("mini-6", Path.cwd())
    forms = {"folder": source, "world": source / "cassettes" / "mini-6"}
    given = forms.get(form) or zipped(source, "" if form == "zip" else "some_package/")
    (added,) = worlds.add(str(given), "", said)
    wanted = own / "worlds" / "mini-6" / "cassettes" / "mini-6"
    assert added.digest == open_world(str(ROOT / "cassettes" / "mini-6")).seal.digest
    assert find_world("mini-6", Path.cwd()) == find_world("", Path.cwd()) == wanted
    assert (
        find_task_world("mini6-supply") == wanted and find_snapshot("mini").parent.parent == own / "worlds" / "mini-6"
    )
    assert [(one.name, one.source, one.tasks) for one in worlds.listed(Path.cwd())] == [("mini-6", "added", 6)]
    assert worlds.add(str(given), "", said) == [added]
    worlds.remove("mini-6")
    assert list(worlds.listed(Path.cwd())) == [] and list((own / "worlds").iterdir()) == []


def test_what_is_near_goes_first(own: Path, source: Path) -> None:
    """A suite beside the current folder is the one that is meant, also where one of its name was added."""
    worlds.add(str(source), "", said)
    assert find_world("mini-6", source) == source / "cassettes" / "mini-6"
    assert next(worlds.listed(source)).source == "here"


def test_a_changed_world_is_refused(own: Path, source: Path) -> None:
    """A byte that its seal does not have ends the command, and nothing is left of it."""
    with (source / "cassettes" / "mini-6" / "targets.toml").open("a") as file:
        file.write("# more\n")
    with pytest.raises(SealBroken, match=r"targets\.toml"):
        worlds.add(str(source), "", said)
    assert list((own / "worlds").iterdir()) == []


def test_another_world_of_that_name_is_refused(own: Path, source: Path) -> None:
    """The command that makes room is named, and the first stays."""
    worlds.add(str(source), "", said)
    with (source / "cassettes" / "mini-6" / "targets.toml").open("a") as file:
        file.write("# more\n")
    seal_world(source / "cassettes" / "mini-6")
    with pytest.raises(BadInput, match="caia-replay worlds remove mini-6"):
        worlds.add(str(source), "", said)


def test_a_broken_copy_names_what_brings_it_back(own: Path, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No version control is named where there is none: an added suite is added again, a packaged one installed."""
    (added,) = worlds.add(str(source), "", said)
    (added.place / "targets.toml").unlink()
    with pytest.raises(SealBroken, match="caia-replay worlds remove mini-6, then worlds add"):
        open_world("mini-6")
    monkeypatch.setattr("caia_replay.home.added_worlds", list)
    monkeypatch.setattr("caia_replay.home._data_wheels", lambda: (own.resolve() / "worlds" / "mini-6",))
    with pytest.raises(SealBroken, match="pip install --force-reinstall"):
        open_world("mini-6")


@pytest.mark.parametrize("name", ["cassettes/../../../out", "cassettes/mini-6/..\\out", "x/cassettes/c:/out"])
def test_a_hostile_path_is_refused(own: Path, source: Path, name: str) -> None:
    """A zip file that leads out of its folder adds nothing."""
    with pytest.raises(BadInput, match="holds the path"):
        worlds.add(str(zipped(source, extra=name)), "", said)
    assert list((own / "worlds").iterdir()) == []


def test_a_bomb_is_refused(own: Path, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What unpacks to more than the limit, in bytes or in files, is stopped on the way."""
    given = str(zipped(source))
    for limit in ("MOST_BYTES", "MOST_FILES"):
        with monkeypatch.context() as patch, pytest.raises(BadInput, match="more than"):
            patch.setattr(worlds, limit, 10)
            worlds.add(given, "", said)
    assert list((own / "worlds").iterdir()) == []


def test_no_world_and_no_zip(own: Path, tmp_path: Path) -> None:
    """A folder without a world, a file that is no zip file and another digest are each one line."""
    (tmp_path / "text.zip").write_text("no")
    for given, digest, told in (
        (tmp_path, "", "no world is here"),
        (tmp_path / "text.zip", "", "no zip file"),
        (tmp_path / "text.zip", "ab", "SHA-256"),
    ):
        with pytest.raises(BadInput, match=told):
            worlds.add(str(given), digest, said)


def test_a_download_goes_on_where_it_was_cut(own: Path, source: Path) -> None:
    """From an address, with its digest: the second try asks for the rest alone; without a digest nothing is asked."""
    data = zipped(source).read_bytes()
    asked: list[str | None] = []

    class Server(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.headers["Range"])
            begin = int((self.headers["Range"] or "bytes=0-")[6:-1])
            self.send_response(206 if begin else 200)
            self.send_header("Content-Length", str(len(data) - begin))
            self.end_headers()
            self.wfile.write(data[begin : None if begin else 1000])

        def log_message(self, format: str, *args: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            url = f"http://127.0.0.1:{server.server_port}/worlds.zip"
            with pytest.raises(BadInput, match="needs its SHA-256"):
                worlds.add(url, "", said)
            with pytest.raises(BadInput):
                worlds.add(url, sha256(data).hexdigest(), said)
            assert [one.name for one in worlds.add(url, sha256(data).hexdigest(), said)] == ["mini-6"]
        finally:
            server.shutdown()
            thread.join()
    assert asked == [None, "bytes=1000-"] and not (own / "downloads").exists()


def test_a_packaged_world_keeps_nothing_beside_itself(own: Path, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Indexes of a suite that pip installed lie in the user's folder; those of any other beside it."""
    world = source / "cassettes" / "mini-6"
    assert cache_of(world) == source / ".cache"
    monkeypatch.setattr("caia_replay.home._data_wheels", lambda: (source,))
    assert find_world("", Path.cwd()) == world and cache_of(world).parent == own


def test_an_installed_suite_is_not_changed(own: Path, source: Path) -> None:
    """A task, a suite file and a seal are refused with the command that makes a copy; the copy takes them."""
    (added,) = worlds.add(str(source), "", said)
    folder = open_world("mini-6")
    before = {path: path.read_bytes() for path in added.place.rglob("*") if path.is_file()}
    task = folder.task("mini6-supply")
    for change in (
        lambda: save_task(added.place, task),
        lambda: save_world(added.place, folder.info, folder.suite),
        lambda: seal_world(added.place),
    ):
        with pytest.raises(BadInput, match=r"not changed; work on a copy; next: mkdir -p cassettes && cp -r .*mini-6"):
            change()
    assert {path: path.read_bytes() for path in added.place.rglob("*") if path.is_file()} == before
    save_task(source / "cassettes" / "mini-6", task)
