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
from caia_replay.cassette.private_folder import private_folder

URL = "https://learn.protocolhandbook.example/fees/eip-1559"
TASK = "mini6-base-fee-bound"
CALL = ("call", "url_fetching", json.dumps({"url": URL}), "--task", TASK)

CASES: dict[str, Callable[[Any], None]] = {}


def case(change: Callable[[Any], None]) -> Callable[[Any], None]:
    """A hostile change that is sealed where it can be, and must be refused."""
    CASES[change.__name__] = change
    return change


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


@case
def cassette_is_a_link(ground: Any) -> None:
    link(ground.own, ground.outside / "private.json")


@case
def http_folder_is_a_link(ground: Any) -> None:
    link(ground.world / "http", ground.outside)


@case
def tasks_folder_is_a_link(ground: Any) -> None:
    link(ground.world / "tasks", ground.outside)


@case
def tasks_folder_is_a_link_to_the_root(ground: Any) -> None:
    link(ground.world / "tasks", Path("/"))


@case
def overlay_is_a_link(ground: Any) -> None:
    link(ground.world / "overlays" / "seo-heavy.toml", ground.outside / "private.json")


@case
def playback_is_a_link(ground: Any) -> None:
    link(ground.world / "http" / "playback.toml", ground.outside / "private.json")


@case
def world_links_to_itself(ground: Any) -> None:
    link(ground.world / "http" / "loop", ground.world)


@case
def link_to_nothing(ground: Any) -> None:
    link(ground.world / "http" / "a.json", Path("nowhere"))


@case
def links_in_a_ring(ground: Any) -> None:
    link(ground.world / "http" / "a.json", Path("b.json"))
    link(ground.world / "http" / "b.json", Path("a.json"))


@case
def link_to_a_device(ground: Any) -> None:
    link(ground.own, Path("/dev/zero"))


@case
def bodies_folder_is_a_link(ground: Any) -> None:
    link(ground.own.parent / "bodies", ground.outside)


@case
def socket_for_a_cassette(ground: Any) -> None:
    here = Path.cwd()
    os.chdir(ground.world / "http")  # a socket's name may have a hundred bytes
    try:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind("s.json")
    finally:
        os.chdir(here)


@case
def folder_for_a_cassette(ground: Any) -> None:
    (ground.world / "http" / "x.json").mkdir()
    ground.seal()


@case
def side_file_climbs(ground: Any) -> None:
    refers(ground, "../../../../../outside/private.json")


@case
def side_file_is_absolute(ground: Any) -> None:
    refers(ground, str(ground.outside / "private.json"))


@case
def side_file_with_slashes(ground: Any) -> None:
    refers(ground, f"bodies/../bodies/{'a' * 64}.bin")


@case
def side_file_with_a_zero_byte(ground: Any) -> None:
    refers(ground, f"bodies/{'a' * 64}.bin\0.json")


@case
def side_file_with_a_very_long_name(ground: Any) -> None:
    refers(ground, "bodies/" + "a" * 1_000_000)


@case
def side_file_that_is_no_text(ground: Any) -> None:
    refers(ground, {"file": "x"})


@case
def side_file_that_is_missing(ground: Any) -> None:
    refers(ground, f"bodies/{'a' * 64}.bin")


@case
def side_file_with_other_bytes(ground: Any) -> None:
    (ground.own.parent / "bodies").mkdir()
    (ground.own.parent / "bodies" / f"{'a' * 64}.bin").write_bytes(b"\xff")
    refers(ground, f"bodies/{'a' * 64}.bin")


@case
def seal_lists_a_file_outside(ground: Any) -> None:
    forge(ground, lambda body: body["files"].update({"../../../outside/private.json": "sha256:" + "0" * 64}))


@case
def seal_pins_a_chain_outside(ground: Any) -> None:
    forge(ground, lambda body: body["chains"].update({"../../outside": "sha256:" + "0" * 64}))


@case
def seal_of_other_shapes(ground: Any) -> None:
    forge(ground, lambda body: body.update(files=[["x"]]))


@case
def seal_without_end(ground: Any) -> None:
    (ground.world / "seal.json").write_bytes(b"[" * 1_000_000)


@case
def chain_with_path_parts(ground: Any) -> None:
    path = ground.world / "world.toml"
    (ground.outside / "manifest.json").write_text("{}")
    path.write_text(path.read_text().replace('chains = ["mini"]', 'chains = ["../../outside"]'))
    ground.seal()


@case
def task_id_with_path_parts(ground: Any) -> None:
    path = ground.world / "suite.toml"
    path.write_text(path.read_text().replace(f'id = "{TASK}"', 'id = "../../../../outside"'))
    ground.seal()


@case
def task_id_that_is_absolute(ground: Any) -> None:
    path = ground.world / "suite.toml"
    path.write_text(path.read_text().replace(f'id = "{TASK}"', f'id = "{ground.outside}"'))
    ground.seal()


@case
def oversize_cassette(ground: Any) -> None:
    with ground.own.open("r+b") as file:
        file.truncate(257 * 2**20)
    ground.seal()


@pytest.mark.parametrize("name", CASES)
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


HARMLESS: dict[str, Callable[[Any], None]] = {
    "cache is a link": lambda ground: link(ground.root / ".cache", ground.outside),
    "cache is a file": lambda ground: (ground.root / ".cache").write_text("mine"),
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


@pytest.mark.parametrize("name", HARMLESS)
def test_odd_things_beside_a_world_do_no_harm(ground: Any, server: Callable[..., Any], name: str) -> None:
    """The world opens and answers; nothing is written through what lies where an index should."""
    assert private_folder() is not None
    HARMLESS[name](ground)
    before = ground.files()
    for arguments in (("lint",), CALL):
        done = server(ground.root, *arguments)
        assert (done.code, done.errors) == (0, ""), done
        assert ground.files() == before and [path.name for path in ground.outside.iterdir()] == ["private.json"]
