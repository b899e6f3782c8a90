"""Prompt files."""

from __future__ import annotations

from pathlib import Path

import pytest

from caia_replay.agents.prompt import FOLDER, load_prompt, prompt_digest
from caia_replay.canonical import digest_bytes
from caia_replay.errors import BadInput


def written(folder: Path, text: str, name: str = "a.md") -> Path:
    """A prompt file in ``folder``."""
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_every_placeholder_is_replaced(tmp_path: Path) -> None:
    """$name and ${name} are replaced, $$ is a dollar sign."""
    prompt = load_prompt("a.md", written(tmp_path, "$a and ${b} cost $$5\n"))
    assert prompt.render(a="x", b="y") == "x and y cost $5"


@pytest.mark.parametrize("values", [{}, {"a": "x"}, {"a": "x", "b": "y", "c": "z"}])
def test_missing_and_surplus_values_are_refused(tmp_path: Path, values: dict[str, str]) -> None:
    """Rendering is strict in both directions."""
    prompt = load_prompt("a.md", written(tmp_path, "$a ${b}"))
    with pytest.raises(BadInput, match=r"a\.md"):
        prompt.render(**values)


def test_a_stray_dollar_is_refused(tmp_path: Path) -> None:
    """A dollar sign that begins no placeholder is a mistake, not text."""
    with pytest.raises(BadInput):
        load_prompt("a.md", written(tmp_path, "costs $5")).render()


@pytest.mark.parametrize("data", [None, b"\xff\xfe"])
def test_a_missing_or_broken_file_is_bad_input(tmp_path: Path, data: bytes | None) -> None:
    """No traceback for a file that does not read."""
    if data is not None:
        (tmp_path / "a.md").write_bytes(data)
    with pytest.raises(BadInput, match="does not read"):
        load_prompt("a.md", tmp_path)


def test_the_digest_is_of_the_bytes_and_blind_to_order(tmp_path: Path) -> None:
    """One byte more is another digest; the order of files is none."""
    one, two = (load_prompt(name, written(tmp_path, "text", name)) for name in ("a.md", "b.md"))
    assert one.digest == digest_bytes(b"text")
    assert prompt_digest(one, two) == prompt_digest(two, one)
    changed = load_prompt("a.md", written(tmp_path, "text\n"))
    assert changed.text == one.text and prompt_digest(changed, two) != prompt_digest(one, two)


def test_shipped_prompts_are_valid() -> None:
    """Every prompt file in the package renders with its own placeholders."""
    for path in sorted(FOLDER.glob("*.md")):
        load_prompt(path.name)
