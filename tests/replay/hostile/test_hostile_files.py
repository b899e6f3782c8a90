"""Worlds whose files are not what they seem: links, pipes, other names, other places, other sizes.

Each is refused with one line and exit code 2, or does no harm. Nothing outside the stranger's folder is shown or
changed, whatever is asked of it.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caia_replay.canonical import digest, pretty_bytes
from caia_replay.store.private_folder import private_folder

URL = "https://learn.protocolhandbook.example/fees/eip-1559"
TASK = "mini6-base-fee-bound"
Change = Callable[[Any], object]
CALL = ("call", "url_fetching", json.dumps({"url": URL}), "--task", TASK)


def link(path: Path, to: Path) -> None:
    """Put a link in the place of ``path``."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(to)


def refers(ground: Any, name: object) -> None:
    """The task's own cassette has a body in the side file ``name``."""
    value = json.loads(ground.own.read_bytes())
    value["interactions"][0]["response"]["body"] = {"file": name}
    value["side_files"] = [name]
    ground.own.write_text(json.dumps(value))
    ground.seal()


def forge(ground: Any, change: Callable[[dict[str, Any]], None]) -> None:
    """A seal that lists what ``change`` makes it list, with a digest of itself that fits."""
    path = ground.world / "seal.json"
    body = json.loads(path.read_bytes())
    del body["digest"]
    change(body)
    path.write_bytes(pretty_bytes({**body, "digest": digest(body)}))


def referring(name: object) -> Change:
    """The task's own cassette has a body in the side file ``name``."""
    return lambda ground: refers(ground, name)


def forging(change: Callable[[dict[str, Any]], None]) -> Change:
    """A seal that lists what ``change`` makes it list."""
    return lambda ground: forge(ground, change)


def replaced(name: str, old: str, new: str) -> Change:
    """Words of a file of the world are others, and the world is sealed; ``{outside}`` is the folder outside."""

    def change(ground: Any) -> None:
        path = ground.world / name
        path.write_text(path.read_text().replace(old, new.format(outside=ground.outside)))
        (ground.outside / "manifest.json").write_text("{}")
        ground.seal()

    return change


def links_in_a_ring(ground: Any) -> None:
    link(ground.world / "http" / "a.json", Path("b.json"))
    link(ground.world / "http" / "b.json", Path("a.json"))


def socket_for_a_cassette(ground: Any) -> None:
    here = Path.cwd()
    os.chdir(ground.world / "http")  # a socket's name may have a hundred bytes
    try:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind("s.json")
    finally:
        os.chdir(here)


def folder_for_a_cassette(ground: Any) -> None:
    (ground.world / "http" / "x.json").mkdir()
    ground.seal()


def side_file_with_other_bytes(ground: Any) -> None:
    (ground.own.parent / "bodies").mkdir()
    (ground.own.parent / "bodies" / f"{NAME}.bin").write_bytes(b"\xff")
    refers(ground, f"bodies/{NAME}.bin")


def oversize_cassette(ground: Any) -> None:
    with ground.own.open("r+b") as file:
        file.truncate(257 * 2**20)
    ground.seal()


NAME, ZEROS, OWN_ID = "a" * 64, "sha256:" + "0" * 64, f'id = "{TASK}"'
CASES: dict[str, Change] = {
    "cassette is a link": lambda ground: link(ground.own, ground.outside / "private.json"),
    "http folder is a link": lambda ground: link(ground.world / "http", ground.outside),
    "tasks folder is a link to the root": lambda ground: link(ground.world / "tasks", Path("/")),
    "world links to itself": lambda ground: link(ground.world / "http" / "loop", ground.world),
    "links in a ring": links_in_a_ring,
    "link to a device": lambda ground: link(ground.own, Path("/dev/zero")),
    "bodies folder is a link": lambda ground: link(ground.own.parent / "bodies", ground.outside),
    "socket for a cassette": socket_for_a_cassette,
    "folder for a cassette": folder_for_a_cassette,
    "side file climbs": referring("../../../../../outside/private.json"),
    "side file with a zero byte": referring(f"bodies/{NAME}.bin\0.json"),
    "side file with a very long name": referring("bodies/" + "a" * 1_000_000),
    "side file that is missing": referring(f"bodies/{NAME}.bin"),
    "side file with other bytes": side_file_with_other_bytes,
    "seal lists a file outside": forging(lambda body: body["files"].update({"../../../outside/private.json": ZEROS})),
    "seal of other shapes": forging(lambda body: body.update(files=[["x"]])),
    "seal without end": lambda ground: (ground.world / "seal.json").write_bytes(b"[" * 1_000_000),
    "chain with path parts": replaced("world.toml", 'chains = ["mini"]', 'chains = ["../../outside"]'),
    "task id with path parts": replaced("suite.toml", OWN_ID, 'id = "../../../../outside"'),
    "oversize cassette": oversize_cassette,
}


QUICK = (
    *("cassette is a link", "socket for a cassette", "side file climbs", "side file with a zero byte"),
    *("seal lists a file outside", "seal without end", "task id with path parts", "a pipe as an index"),
)
"""One of each class; the others are of make check."""


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.check) for name in CASES]
)
def test_a_world_of_odd_files_is_refused(ground: Any, server: Callable[..., Any], name: str) -> None:
    """lint and call end with one line and exit code 2; nothing of the outside is shown, and no file is changed."""
    CASES[name](ground)
    before = ground.files()
    for arguments in (("lint",), CALL):
        done = server(ground.root, *arguments)
        assert (done.code, done.errors.count("\n")) == (2, 1), done
        assert done.errors[:-1].isprintable() and "CANARY" not in done.errors + done.out
        assert ground.files() == before


@pytest.mark.parametrize("place", ["cassettes/mini-6/http/{}.json", "cassettes/{}"])
def test_a_name_that_writes_on_the_terminal_is_refused(ground: Any, server: Callable[..., Any], place: str) -> None:
    """lint shows names of files and worlds: one with an escape in it is told by its parts, before sealing too."""
    path = ground.root / place.format("\x1b]0;mine\x07")
    if path.suffix:
        path.write_text('{"version": 1, "interactions": []}')
        ground.seal()
    else:
        ground.world.rename(path)
    for arguments in (("lint",), ("lint", "--seal")):
        done = server(ground.root, *arguments)
        assert (done.code, done.errors.count("\n")) == (2, 1), done
        assert f"a name with control characters: {path.name!r}" in done.errors
        assert "\x1b" not in done.errors + done.out


HARMLESS: dict[str, Change] = {
    "cache is a link": lambda ground: link(ground.root / ".cache", ground.outside),
    "index folder is a link": lambda ground: link(ground.root / ".cache" / "http", ground.outside),
    "index folder is a pipe": lambda ground: ((ground.root / ".cache").mkdir(), os.mkfifo(ground.root / ".cache/http")),
    "a stranger's index": lambda ground: (
        (ground.root / ".cache" / "http").mkdir(parents=True),
        (ground.root / ".cache" / "http" / f"mini-6-{'a' * 64}.arrow").write_bytes(b"ARROW1\0\0" + b"\xff" * 9000),
    ),
    "a pipe as an index": lambda ground: (
        (ground.root / ".cache" / "http").mkdir(parents=True),
        os.mkfifo(ground.root / ".cache" / "http" / f"mini-6-{'a' * 64}.arrow"),
    ),
    "a file beside the world": lambda ground: link(ground.root / "cassettes" / "b", ground.outside),
}


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.check) for name in HARMLESS]
)
def test_odd_things_beside_a_world_do_no_harm(ground: Any, server: Callable[..., Any], name: str) -> None:
    """The world opens and answers; nothing is written through what lies where an index should."""
    assert private_folder() is not None
    HARMLESS[name](ground)
    before = ground.files()
    for arguments in (("lint",), CALL):
        done = server(ground.root, *arguments)
        assert (done.code, done.errors) == (0, ""), done
        assert ground.files() == before and [path.name for path in ground.outside.iterdir()] == ["private.json"]
