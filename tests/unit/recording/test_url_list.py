"""``record --urls``: a list of addresses asked now and kept in a world; and lint of folders that are none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caia_replay.cassette.cassette import Cassette
from caia_replay.store.seal import SEAL
from tests.cli_shell import Shell
from tests.loan_library import ORIGIN, library, write_world

KEY = "Tk9fQ7zLmX4vB2nR8wY3"


def test_a_list_is_asked_and_the_world_told(tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every line is a recording, bodies and refusals too; a header's value comes from a variable and stays out."""
    monkeypatch.setenv("LIBRARY_KEY", KEY)
    world = write_world(tmp_path)
    lines = (
        "# the library",
        "",
        f"{ORIGIN}/loans",
        f"GET {ORIGIN}/loans/404",
        f'POST {ORIGIN}/search {{"title": "Emma"}}',
    )
    (tmp_path / "all loans.txt").write_text("\n".join(lines))
    with library() as here:
        asked = ("record", "--urls", tmp_path / "all loans.txt", "--suite", world, "--map", f"{ORIGIN}={here}")
        code, told, err = shell(*asked, "--header", "X-API-Key=LIBRARY_KEY")
    assert (code, err) == (0, "") and "oldest at 2023-11-14 22:13:20Z: 3 of 3 requests are served" in told
    (path,) = (world / "http").iterdir()
    assert path.name == "all-loans.json" and KEY not in path.read_text() + told and (world / SEAL).is_file()
    kept = [(item.method, item.status) for item in Cassette.open(path).interactions]
    assert sorted(kept) == [("GET", 200), ("GET", 404), ("POST", 200)]
    assert shell("lint", world)[0] == 0


@pytest.mark.parametrize(
    ("text", "more", "why"),
    [
        ("", (), "names no URL"),
        ("# nothing\n", (), "names no URL"),
        ("library.example/loans", (), "line 1 has no http or https URL"),
        (f"{ORIGIN}/a\nPUT {ORIGIN}/a", (), "line 2 has no http or https URL"),
        (f"GET {ORIGIN}/a {{}}", (), "line 1 has a body"),
        (f"{ORIGIN}/a\n\xff", (), "no http or https URL"),
        (f"{ORIGIN}/a", ("--header", "X-API-Key=NO_SUCH_VARIABLE"), "NO_SUCH_VARIABLE"),
        (f"{ORIGIN}/a", ("--at", "soon"), "no time with a zone"),
        (f"{ORIGIN}/a", ("--at", "2026-01-01"), "no time with a zone"),
        (f"{ORIGIN}/a", ("--map", "http://127.0.0.1:1"), "no scheme and host"),
        (
            f"{ORIGIN}/a",
            ("--map", "https://api.libary.example=http://127.0.0.1:1"),
            "nearest: https://api.library.example",
        ),
        (f"{ORIGIN}/a", ("--task", "oldest"), "different commands"),
        ("http://api.library.example/a", (), "without TLS"),
    ],
)
def test_a_list_that_cannot_be_asked_is_one_line(
    tmp_path: Path, shell: Shell, text: str, more: tuple[str, ...], why: str
) -> None:
    """Exit code 2, nothing written, no seal."""
    world = write_world(tmp_path)
    (tmp_path / "urls.txt").write_text(text)
    code, out, err = shell("record", "--urls", tmp_path / "urls.txt", "--suite", world, *more)
    assert (code, out, err.count("\n")) == (2, "", 1) and why in err
    assert not (world / "http").exists() and not (world / SEAL).exists()


def test_lint_takes_a_folder_of_anybodys_cassettes(tmp_path: Path, shell: Shell) -> None:
    """A vendor's key in a path is a finding, what is no cassette another, and no key is shown."""
    key = "0123456789abcdeffedcba9876543210"
    request = {"method": "GET", "uri": f"https://mainnet.infura.io/v3/{key}", "body": None, "headers": {}}
    reply = {"status": {"code": 200, "message": "OK"}, "headers": {}, "body": {"string": "{}"}}
    folder = tmp_path / "theirs"
    (folder / "deep").mkdir(parents=True)
    content = json.dumps({"version": 1, "interactions": [{"request": request, "response": reply}]})
    (folder / "deep" / "infura.yaml").write_text(content.replace("{", "{ ", 1))
    (folder / "other.json").write_text("{}")
    code, out, _ = shell("lint", folder)
    assert code == 1 and "infura.yaml: a key that was not scrubbed" in out and "other.json: is no cassette" in out
    assert key not in out
    (folder / "other.json").unlink()
    (folder / "deep" / "infura.yaml").write_text(content.replace(key, "SCRUBBED"))
    assert shell("lint", folder)[0] == 0
    assert shell("lint", "--seal", folder)[0] == 2
