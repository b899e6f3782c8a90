"""Hostile files given to ``caia-replay import vcr``: YAML that runs or unfolds, archives, bombs, names and folders.

A file alone is refused with one line and exit code 2; in a folder it is named among the others, which are imported,
and the exit code is 1. Nothing is written but what is taken, and nothing outside of the folder is read.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import zipfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

ADDRESS = "https://h.example/a"
GOOD = f"""version: 1
interactions:
- request: {{method: GET, uri: '{ADDRESS}', body: null, headers: {{}}}}
  response: {{status: {{code: 200, message: OK}}, headers: {{}}, body: {{string: x}}}}
"""
CANARY = "OUTSIDE-CANARY"
LEVELS = "abcdefghijklmnopqrstuvwxyz"


def coded(coding: str, body: bytes) -> str:
    value = yaml.safe_load(GOOD)
    value["interactions"][0]["response"] |= {"headers": {"Content-Encoding": [coding]}, "body": {"string": body}}
    return yaml.dump(value)


def zipped() -> bytes:
    """An archive whose member climbs out of where it is opened."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("../../escaped.yaml", GOOD)
    return file.getvalue()


LAUGHS = f"a: &a [{', '.join(['lol'] * 9)}]\n" + "".join(
    f"{after}: &{after} [{', '.join([f'*{before}'] * 9)}]\n" for before, after in pairwise(LEVELS)
)
ZEROS = bytes(65 * 2**20)  # a little more than bodies may have together
BAD: dict[str, str | bytes] = {
    "a command to run": GOOD.replace("string: x", "string: !!python/object/apply:os.system ['touch escaped']"),
    "a billion laughs": LAUGHS + GOOD,
    "laughs inside a body": GOOD.replace("string: x", f"string: *z}}, x: {{{LAUGHS.replace(chr(10), ', ')[:-2]}"),
    "lists without end": "version: 1\ninteractions: " + "[" * 100_000,
    "indents without end": "".join(f"{' ' * n}a:\n" for n in range(3_000)),
    "a number of a million digits": GOOD.replace("code: 200", "code: " + "9" * 1_000_000),
    "a number in base sixty": GOOD.replace("code: 200", "code: 1" + ":59" * 300_000),
    "a key twice": GOOD.replace("code: 200", "code: 200, code: 500"),
    "a merge": GOOD.replace("code: 200", "<<: {code: 200}"),
    "a lone surrogate": GOOD.replace("string: x", r'string: "\ud800"'),
    "a zero byte": GOOD.replace("string: x", "string: '\0'"),
    "bytes that are not UTF-8": GOOD.encode("utf-16"),
    "two documents": GOOD + "---\n" + GOOD,
    "a zip": zipped(),
    "a gzip": gzip.compress(GOOD.encode()),
    "a gzip bomb": coded("gzip", gzip.compress(ZEROS, 1)),
    "a bomb of six letters for one": coded("gzip", gzip.compress(ZEROS[: 50 * 2**20], 1)),
    "a bomb in a bomb": coded("gzip, gzip", gzip.compress(gzip.compress(ZEROS, 9), 9)),
    "thousands of gzip members": coded("gzip", gzip.compress(b"") * 5_000),
    "coded a hundred times": coded(", ".join(["gzip"] * 100), b"\x1f"),
    "a coding nobody knows": coded("zip", zipped()),
    "a body cut short": coded("gzip", gzip.compress(b"x" * 99)[:-9]),
    "a file address": GOOD.replace(ADDRESS, "file:///etc/passwd"),
    "a header of two lines": GOOD.replace("headers: {}, body: {s", 'headers: {a: ["b\\r\\nc: d"]}, body: {s'),
    "an address with an escape": GOOD.replace(f"'{ADDRESS}'", f'"{ADDRESS}\\e]0;mine\\a"'),
    "a field with an escape": GOOD.replace("version: 1", 'version: 1\n"\\e[2J": 1'),
    "a side file": GOOD.replace("{string: x}", "{file: ../../outside/private.json}"),
}


def sent(ground: Any) -> Path:
    """An empty folder to put a stranger's cassettes in."""
    folder: Path = ground.root / "theirs"
    folder.mkdir()
    return folder


QUICK = (
    *("a command to run", "a billion laughs", "lists without end", "a lone surrogate", "two documents", "a zip"),
    *("a gzip bomb", "a coding nobody knows", "a file address", "a header of two lines", "a side file"),
)
"""One of each class; the others are of make check."""


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.check) for name in BAD]
)
def test_a_hostile_cassette_is_refused(ground: Any, server: Callable[..., Any], name: str) -> None:
    """One printable line that names the file, exit code 2, and no folder is made to write to."""
    content = BAD[name]
    path = sent(ground) / "c.yaml"
    path.write_bytes(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content)
    before = ground.files()
    done = server(path.parent, "import", "vcr", path, "--out", ground.root / "out")
    assert (done.code, done.errors.count("\n"), done.out) == (2, 1, ""), done
    assert done.errors.startswith(f"{path}: refused: ") and done.errors[:-1].isprintable()
    assert ground.files() == before and not (ground.root / "out").exists()


def test_what_is_no_file_or_too_large_is_refused(ground: Any, server: Callable[..., Any]) -> None:
    """A pipe, a device, a socket's place, a missing name, one that is too long, and a sparse file of gigabytes."""
    folder = sent(ground)
    os.mkfifo(folder / "pipe.yaml")
    with (folder / "large.yaml").open("wb") as file:
        file.truncate(8 * 2**30)
    for path in (
        folder / "pipe.yaml",
        folder / "large.yaml",
        Path("/dev/zero"),
        folder / "none",
        folder / ("a" * 5_000),
    ):
        done = server(folder, "import", "vcr", path, "--out", ground.root / "out")
        assert (done.code, done.errors.count("\n"), done.out) == (2, 1, ""), done
    (folder / "large.yaml").unlink()
    assert not (ground.root / "out").exists()


MANY = 1_000_000
MANY_OF: dict[str, tuple[str, str]] = {
    "yaml": ("c.yaml", "version: 1\ninteractions:\n" + GOOD.partition("interactions:\n")[2] * (MANY // 4)),
    "json": ("c.json", '{"version": 1, "interactions": [' + "{}," * (3 * MANY) + "{}]}"),
    "har": ("c.har", '{"log": {"entries": [' + "{}," * MANY + "{}]}}"),
    "lists in har": ("c.har", '{"log": {"entries": [' + "[]," * (20 * MANY) + "[]]}}"),
    "a body of a har": ("c.har", '{"log": {"entries": [{"a": "' + "x" * (66 * 2**20) + '"}]}}'),
}


@pytest.mark.check
@pytest.mark.parametrize("name", MANY_OF)
def test_a_million_of_anything_is_refused(ground: Any, server: Callable[..., Any], name: str) -> None:
    """One line and exit code 2 within the memory that a command has here; nothing is written."""
    file, content = MANY_OF[name]
    path = sent(ground) / file
    path.write_text(content[: 64 * 2**20] if name == "yaml" else content)
    kind = "har" if file.endswith("har") else "vcr"
    done = server(path.parent, "import", kind, path, "--out", ground.root / "out")
    assert (done.code, done.errors.count("\n"), done.out) == (2, 1, ""), done
    assert str(path) in done.errors and not (ground.root / "out").exists()


def test_a_hostile_folder_gives_what_is_good_in_it(ground: Any, server: Callable[..., Any]) -> None:
    """Links out, in and round, a pipe, odd names: each is named on a printable line, the good one written."""
    folder = sent(ground)
    (folder / "good.yaml").write_text(GOOD)
    (folder / "\x1b]0;mine\x07.yaml").write_text("[")
    (folder / ("n" * 200 + ".yaml")).write_text(GOOD.replace("1", "9", 1))
    (ground.outside / "sound.yaml").write_text(GOOD.replace("string: x", f"string: {CANARY}"))
    (folder / "linked.yaml").symlink_to(ground.outside / "sound.yaml")
    (folder / "linked").symlink_to(ground.outside, target_is_directory=True)
    (folder / "round").symlink_to(folder, target_is_directory=True)
    (folder / "ring.yaml").symlink_to("ring.yaml")
    os.mkfifo(folder / "pipe.yaml")
    before = ground.files()
    done = server(folder, "import", "vcr", folder, "--out", ground.root / "out")
    lines = done.out.splitlines()
    assert (done.code, done.errors, lines[-1]) == (1, "", "1 of 8 cassettes, 1 interactions"), done
    assert all(": refused: " in line for line in lines[:-1]) and all(line.isprintable() for line in lines)
    assert CANARY not in done.out
    after = ground.files()
    assert sorted(after.keys() - before.keys()) == [str(ground.root / "out" / "good.json")]
    assert {path: data for path, data in after.items() if path in before} == before


def test_nothing_is_written_through_links_in_the_folder_to_write_to(ground: Any, server: Callable[..., Any]) -> None:
    """A link where the cassette or its side file would go is not followed."""
    folder, out = sent(ground), ground.root / "out"
    value = yaml.safe_load(GOOD)
    value["interactions"][0]["response"]["body"]["string"] = b"\xff\xd8"
    (folder / "c.yaml").write_text(yaml.dump(value))
    before = ground.files()
    for name in ("c.json", "bodies"):
        out.mkdir()
        (out / name).symlink_to(ground.outside, target_is_directory=True)
        done = server(folder, "import", "vcr", folder / "c.yaml", "--out", out)
        assert (done.code, done.errors.count("\n")) == (2, 1), done
        assert ground.files() == before
        shutil.rmtree(out)


def test_what_looks_hostile_and_is_not_is_taken(ground: Any, server: Callable[..., Any]) -> None:
    """Text about such things is text: it comes out as it went in."""
    folder, words = sent(ground), "!!python/object &a *a <<: \x7f [[[[ 999999999999999999999999 \u202e .."
    value = yaml.safe_load(GOOD)
    value["interactions"][0]["response"]["body"]["string"] = words
    (folder / "c.yaml").write_text(yaml.dump(value))
    done = server(folder, "import", "vcr", folder / "c.yaml", "--out", ground.root / "out")
    assert (done.code, done.out) == (0, "1 of 1 cassettes, 1 interactions\n"), done
    kept = json.loads((ground.root / "out" / "c.json").read_bytes())
    assert kept["interactions"][0]["response"]["body"] == {"string": words}
