"""Scripts that write docs: the tools' page, the economy's picture, samples of the web, what the README shows."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import pytest

from caia_replay.core.world import Page, Post
from caia_replay.origin.scene import Scene
from caia_replay.origin.web.page import Claim, WebPage, WebPost
from caia_replay.tools.catalog import CATALOG, WALLET

Load = Callable[[str], ModuleType]
SVG = "{http://www.w3.org/2000/svg}"
MOST_BYTES = 40_000


def words_of(picture: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(picture).iter(f"{SVG}text")]


@pytest.mark.check
def test_the_committed_picture_is_what_the_story_gives(loaded: Load, scene: Scene) -> None:
    """docs/world.svg is, to the byte, what the script draws today, and stays small."""
    page = loaded("draw_world")
    drawn = page.draw(scene).encode()
    assert page.PATH.read_bytes() == drawn == page.draw(scene).encode()
    assert len(drawn) <= MOST_BYTES


@pytest.mark.check
def test_the_picture_is_valid_and_stands_alone(loaded: Load, scene: Scene) -> None:
    """It parses as SVG, fetches nothing, names no font but a generic one, and every text fits its box."""
    picture = loaded("draw_world").draw(scene)
    root = ElementTree.fromstring(picture)
    assert root.tag == f"{SVG}svg" and root.find(f"{SVG}title") is not None
    assert set(re.findall(r'font-family="([^"]*)"', picture)) == {"sans-serif"}
    assert re.findall(r'(?:href|src)=|url\((?!#)', picture) == []  # fmt: skip
    boxes = [[float(box.attrib[side]) for side in ("x", "y", "width", "height")] for box in root.iter(f"{SVG}rect")]
    for element in root.iter(f"{SVG}text"):
        x, y, size = (float(element.attrib[name]) for name in ("x", "y", "font-size"))
        words = element.text or ""
        wide = len(words) * size * (0.64 if element.get("font-weight") else 0.58)  # what a wide font takes
        start = x - {"start": 0, "middle": wide / 2, "end": wide}[element.get("text-anchor", "start")]
        around = [box for box in boxes if box[0] <= start <= box[0] + box[2] and box[1] <= y <= box[1] + box[3]]
        assert around, words
        assert all(start + wide <= left + width for left, _, width, _ in around), words
        assert all(y - size >= top and y + size / 3 <= top + height for _, top, _, height in around), words


@pytest.mark.check
def test_the_figures_are_the_storys(loaded: Load, scene: Scene) -> None:
    """One deed more or fewer is one more or fewer in the picture; names and chain sizes are the story's own."""
    page, before = loaded("draw_world"), words_of(loaded("draw_world").draw(scene))
    deeds, swaps = scene.main.deeds, sum(deed.verb == "swapped" for deed in scene.main.deeds)
    assert f"{swaps:,} swaps" in before
    assert any(f"{scene.main.height} blocks, {scene.main.transactions:,} transactions" in words for words in before)
    assert all(any(one.name in words for words in before) for one in scene.networks.values())
    swapped = next(deed for deed in deeds if deed.verb == "swapped")
    scene.main.deeds = [replace(swapped, verb="dreamt") if deed is swapped else deed for deed in deeds]
    try:
        after = words_of(page.draw(scene))
    finally:
        scene.main.deeds = deeds
    assert set(before) - set(after) == {f"{swaps:,} swaps"}
    assert set(after) - set(before) == {f"{swaps - 1:,} swaps"}


@pytest.mark.check
def test_a_stale_picture_is_found(loaded: Load, scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check fails for a picture that is missing or differs by a byte, and passes for what was written."""
    page = loaded("draw_world")
    monkeypatch.setattr(page, "PATH", tmp_path / "world.svg")
    monkeypatch.setattr(page, "told_picture", lambda: page.draw(scene))
    assert page.main(["--check"]) == 1
    assert page.main([]) == 0 == page.main(["--check"])
    page.PATH.write_bytes(page.PATH.read_bytes() + b"\n")
    assert page.main(["--check"]) == 1


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
