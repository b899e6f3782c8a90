"""The command that lists models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from caia_replay.cli_models import models
from caia_replay.models.registry import registered_models
from caia_replay.models.resolve import policy_names

SECRET = "sk-0123456789abcdef"


@pytest.fixture
def empty(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty folder to stand in, and an environment without any model's key."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    for model in registered_models().values():
        monkeypatch.delenv(model.key_variable, raising=False)
    return tmp_path


def shown(*arguments: str) -> str:
    """What the command prints."""
    run = CliRunner().invoke(models, arguments)
    assert run.exit_code == 0, run.output
    return run.output


def test_every_model_has_a_line_and_every_policy_too(empty: Path) -> None:
    """Seventeen models, one unwrapped line each, then the policies, each with a description."""
    lines = shown().splitlines()
    assert [line.split()[0] for line in lines[1 : 1 + len(registered_models())]] == list(registered_models())
    assert all(any(line.startswith(f"policy/{name} ") for line in lines) for name in policy_names())


def test_keys_are_told_apart_and_never_shown(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that is set is said to be, in both forms, without a character of it."""
    monkeypatch.setenv("XAI_API_KEY", SECRET)
    text, data = shown(), shown("--json")
    lines = {line.split()[0]: line.split() for line in text.splitlines()[: len(registered_models()) + 1]}
    assert lines["grok-4"][2:4] == ["XAI_API_KEY", "set"] and lines["gpt-5"][2:5] == ["OPENAI_API_KEY", "not", "set"]
    set_for = {row["key_variable"] for row in json.loads(data)["models"] if row["key_set"]}
    assert set_for == {"XAI_API_KEY"}
    assert SECRET not in text + data


def test_the_json_is_json_and_complete(empty: Path) -> None:
    """All models, policies and tapes under their names as MODEL takes them."""
    told = json.loads(shown("--json"))
    assert [row["name"] for row in told["models"]] == list(registered_models())
    assert [row["name"] for row in told["policies"]] == [f"policy/{name}" for name in policy_names()]
    assert told["recorded"] == []


def test_tapes_are_found_here_and_above(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders of model_tapes/ that hold a tape are listed once each; others are no tapes."""
    below = empty / "a" / "b"
    for folder in (empty / "model_tapes" / "upper", below / "model_tapes" / "mine", empty / "model_tapes" / "mine"):
        folder.mkdir(parents=True)
        (folder / "tape.json").write_text("{}", "utf-8")
    (below / "model_tapes" / "empty").mkdir()
    (below / "model_tapes" / ".hidden").mkdir()
    (below / "model_tapes" / ".hidden" / "tape.json").write_text("{}", "utf-8")
    monkeypatch.chdir(below)
    assert [line for line in shown().splitlines() if line.startswith("recorded/")] == [
        "recorded/mine: cannot be read: is no tape's: 'version'",
        "recorded/upper: cannot be read: is no tape's: 'version'",
    ]


def test_a_base_url_is_shown_as_what_takes_every_other_name(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who set OPENAI_BASE_URL and forgot is told."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:8000/v1")
    assert shown().splitlines()[-1].startswith("OPENAI_BASE_URL is set: every other name goes to http://127.0.0.1")
    assert json.loads(shown("--json"))["base_url"] == "http://127.0.0.1:8000/v1"
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://user:{SECRET}@127.0.0.1:8000/v1?key={SECRET}")
    assert json.loads(shown("--json"))["base_url"] == "http://127.0.0.1:8000/v1" and SECRET not in shown()
