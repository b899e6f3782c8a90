"""The samples in docs: three of each kind, with what they state; that they are the web's own is tested beside it."""

from __future__ import annotations

import importlib.util
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import pytest

from caia_replay.core.world import Page, Post
from caia_replay.origin.web.page import Claim, WebPage, WebPost

SCRIPT = Path(__file__).parents[3] / "scripts" / "web_samples.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("web_samples", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_page_is_shown_with_its_moment_and_its_marks(script: ModuleType) -> None:
    """Address, date or first sight, author, text, and each claim once with its mark; long texts are cut and say so."""
    claim = Claim("price", "coin", 5, "$1.20", Fraction(6, 5), Fraction(1, 100), "stale")
    dated = WebPage(Page("https://a.example/x", "Title", "It cost $1.20", 86_400, author="A B"), "k", (claim, claim))
    shown = script._page(dated)
    assert "<https://a.example/x>, 1970-01-02T00:00:00Z, A B" in shown
    assert shown.count("price `$1.20` (stale)") == 1
    undated = WebPage(Page("https://a.example/y", "T", "long " * 400, None, first_seen=0), "k")
    shown = script._page(undated)
    assert "first seen 1970-01-01T00:00:00Z" in shown and " …\n" in shown and "Claims nothing" in shown


def test_a_post_says_what_it_answers(script: ModuleType) -> None:
    """Handle, moment and the post it answers."""
    shown = script._post(WebPost(Post("7", "abc", "gm", 0, "3", "3"), "talk"))
    assert shown.startswith("@abc, 1970-01-01T00:00:00Z, in answer to 3\n")


def test_kinds_that_differ_in_their_occasion_are_one(script: ModuleType) -> None:
    """What stands behind a slash or a space is left out."""
    assert {script._plain(kind) for kind in ("forum/vote", "forum", "blog event")} == {"forum", "blog"}
