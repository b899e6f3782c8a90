"""The picture of the economy is drawn from its story, is one that browsers read, and is committed as drawn."""

import importlib.util
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from caia_replay.origin.scene import Scene

SCRIPT = Path(__file__).parents[3] / "scripts" / "draw_world.py"
SVG = "{http://www.w3.org/2000/svg}"
MOST_BYTES = 40_000


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("draw_world", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def words_of(picture: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(picture).iter(f"{SVG}text")]


def test_the_committed_picture_is_what_the_story_gives(scene: Scene) -> None:
    """docs/world.svg is, to the byte, what the script draws today, and stays small."""
    page = load()
    drawn = page.draw(scene).encode()
    assert page.PATH.read_bytes() == drawn == page.draw(scene).encode()
    assert len(drawn) <= MOST_BYTES


def test_the_picture_is_valid_and_stands_alone(scene: Scene) -> None:
    """It parses as SVG, fetches nothing, names no font but a generic one, and every text fits its box."""
    picture = load().draw(scene)
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


def test_the_figures_are_the_storys(scene: Scene) -> None:
    """One deed more or fewer is one more or fewer in the picture; names and chain sizes are the story's own."""
    page, before = load(), words_of(load().draw(scene))
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


def test_a_stale_picture_is_found(scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check fails for a picture that is missing or differs by a byte, and passes for what was written."""
    page = load()
    monkeypatch.setattr(page, "PATH", tmp_path / "world.svg")
    monkeypatch.setattr(page, "told_picture", lambda: page.draw(scene))
    assert page.main(["--check"]) == 1
    assert page.main([]) == 0 == page.main(["--check"])
    page.PATH.write_bytes(page.PATH.read_bytes() + b"\n")
    assert page.main(["--check"]) == 1
