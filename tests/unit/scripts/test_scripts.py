"""Scripts that write docs: the tools' page, the economy's picture, samples of the web, what the README shows."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import pytest

from caia_replay.core.world import Page, Post
from caia_replay.origin.scene import Scene
from caia_replay.origin.web.page import Claim, WebPage, WebPost
from caia_replay.tools.catalog import CATALOG, WALLET

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
    """docs/tools.md is exactly what the generator writes today: a section a tool, and every parameter a row in it."""
    script = loaded("tool_docs")
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
    assert found is not None and found[0].splitlines()[-1] == "run folder: runs/policy-credulous"


def test_a_page_is_shown_with_its_moment_and_its_marks(loaded: Load) -> None:
    """Address, date or first sight, author, text, each claim once with its mark; a post says what it answers."""
    script = loaded("web_samples")
    claim = Claim("price", "coin", 5, "$1.20", Fraction(6, 5), Fraction(1, 100), "stale")
    dated = WebPage(Page("https://a.example/x", "Title", "It cost $1.20", 86_400, author="A B"), "k", (claim, claim))
    shown = script._page(dated)
    assert "<https://a.example/x>, 1970-01-02T00:00:00Z, A B" in shown
    assert shown.count("price `$1.20` (stale)") == 1
    undated = WebPage(Page("https://a.example/y", "T", "long " * 400, None, first_seen=0), "k")
    shown = script._page(undated)
    assert "first seen 1970-01-01T00:00:00Z" in shown and " …\n" in shown and "Claims nothing" in shown
    shown = script._post(WebPost(Post("7", "abc", "gm", 0, "3", "3"), "talk"))
    assert shown.startswith("@abc, 1970-01-01T00:00:00Z, in answer to 3\n")
    assert {script._plain(kind) for kind in ("forum/vote", "forum", "blog event")} == {"forum", "blog"}
