"""What the README shows of a first run."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

PROJECT = Path(__file__).resolve().parents[3]


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("first_run", PROJECT / "scripts" / "first_run.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


first_run = load()


def test_set_up_and_blanks_are_left_out() -> None:
    """Lines of set-up go, ends of lines are cut, and no two empty lines follow each other."""
    assert first_run.shown("setup: ready\na-178: words  \n\n\n   \n table \n\nrun folder: x\n\n") == (
        "a-178: words\n\n table\n\nrun folder: x"
    )


def test_the_readme_has_the_block() -> None:
    """It is found where the script writes it, and ends with the run folder."""
    found = first_run.BLOCK.search((PROJECT / "README.md").read_text("utf-8"))
    assert found is not None and found[0].splitlines()[-1] == "run folder: runs/policy-credulous"
