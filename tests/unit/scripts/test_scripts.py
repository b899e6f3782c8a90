"""Scripts that write docs: the tools' page, the economy's picture, samples of the web, what the README shows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from caia_replay.tools.catalog import CATALOG, WALLET
from caia_worldgen.scene import Scene

Load = Callable[[str], ModuleType]
MOST_BYTES = 40_000


@pytest.mark.check
def test_the_committed_picture_is_what_the_story_gives(loaded: Load, scene: Scene) -> None:
    """docs/world.svg is, to the byte, what the script draws today, and stays small."""
    page = loaded("draw_world")
    drawn = page.draw(scene).encode()
    assert page.PATH.read_bytes() == drawn == page.draw(scene).encode()
    assert len(drawn) <= MOST_BYTES


PROJECT = Path(__file__).resolve().parents[3]


def test_the_page_is_what_the_catalog_says(loaded: Load) -> None:
    """docs/tools.md and the stop reasons in docs/agents.md are what the generator writes; each parameter has a row."""
    script = loaded("generated_docs")
    assert script.main(["--check"]) == 0
    page = script.tools_page()
    for name, tool in (*CATALOG.items(), *WALLET.items()):
        section = page.split(f"## `{name}`")[1].split("## `")[0]
        assert all(f"| `{parameter}` |" in section for parameter in tool.spec.parameters["properties"])


def test_the_readme_shows_a_first_run(loaded: Load) -> None:
    """Lines of set-up go, ends of lines are cut, no two empty lines follow; the block is where the script writes it."""
    script = loaded("first_run")
    said = "setup: ready\na-178: words  \n\n\n   \n table \n\nrun folder: x\n\n"
    assert script.shown(said) == "a-178: words\n\n table\n\nrun folder: x"
    found = script.BLOCK.search((PROJECT / "README.md").read_text("utf-8"))
    assert found is not None and found[0].splitlines()[-2] == "run folder: runs/policy-credulous"
