"""publish, record --rehydrate and pool, as a user types them."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner, Result

from caia_replay.cli import main

ROOT = Path(__file__).parents[2]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_a_suite_is_published_without_a_body(tmp_path: Path) -> None:
    """And its questions only where they are the publisher's to give."""
    told = run("publish", ROOT / "cassettes" / "mini-6", "--out", tmp_path / "out")
    assert told.exit_code == 0 and "6 tasks without their words" in told.output
    again = run("publish", ROOT / "cassettes" / "mini-6", "--out", tmp_path / "out")
    assert again.exit_code == 2 and "nothing is written over" in again.output
    kept = run("publish", ROOT / "cassettes" / "mini-6", "--out", tmp_path / "kept", "--keep-questions")
    assert kept.exit_code == 0 and "without their words" not in kept.output


def test_rehydration_says_where_it_would_write(tmp_path: Path) -> None:
    """And what is no published suite is one line."""
    assert "--out" in run("record", "--rehydrate", tmp_path).output
    told = run("record", "--rehydrate", tmp_path, "--out", tmp_path / "again")
    assert told.exit_code == 2 and len(told.output.splitlines()) == 1


def test_a_suite_without_a_pool_says_how_to_get_one() -> None:
    """Exit code 2, and the command."""
    told = run("pool", ROOT / "cassettes" / "mini-6")
    assert told.exit_code == 2 and "--pool MODEL" in told.output
