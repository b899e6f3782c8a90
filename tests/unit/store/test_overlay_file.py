"""Overlay files: what is written is read back, each lie once, and today's files keep their bytes and digests."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from caia_replay.core.goal import Goal
from caia_replay.core.overlay import Overlay, PlantedBody, PlantedPage, PlantedPost, PlantedTool, overlay_digest
from caia_replay.core.world import Page, Post
from caia_replay.errors import BadInput
from caia_replay.runner.campaign import planned_over
from caia_replay.store.overlay_file import read_overlay, save_overlay, written
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld

T = TypeVar("T", PlantedPage, PlantedPost, PlantedBody, PlantedTool)
TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=20)
VALUE = TEXT.filter(str.strip)
MOMENT = st.integers(0, 253_402_300_799)
PAGE = st.builds(
    lambda value, url, title, text, date, seen, author, language: PlantedPage(
        "seo-page", "t", value, Page(url, title + value, text + value, date, "seo-page", author, language, seen)
    ),
    VALUE, TEXT, TEXT, TEXT, st.none() | MOMENT, st.none() | MOMENT, TEXT, TEXT,
)  # fmt: skip
POST = st.builds(
    lambda value, number, author, text, created, thread, reply, likes: PlantedPost(
        "rumour", "t", value,
        Post(str(number), author, text + value, created, thread or str(number), reply, "en", likes, 0, 2, "rumour"),
    ),
    VALUE, st.integers(0, 10**18), TEXT, TEXT, MOMENT, st.just("") | st.integers(1, 9).map(str), TEXT,
    st.integers(0, 10**9),
)  # fmt: skip
BODY = st.builds(
    lambda value, method, url, body, reply: PlantedBody("api", "t", value, method, url, body, reply + value),
    VALUE, st.sampled_from(["GET", "POST"]), TEXT, TEXT, TEXT,
)  # fmt: skip
GOAL = st.none() | st.builds(Goal, TEXT, TEXT, TEXT, st.booleans())
TOOL = st.builds(lambda name, text, task, answer: PlantedTool("poison", task, "", name, text, answer),
                 TEXT, TEXT, TEXT, TEXT)  # fmt: skip


def more(found: T) -> st.SearchStrategy[T]:
    """The same thing planted, with what any of them may say of its success."""
    return st.builds(lambda answer, marked, goal: replace(found, answer=answer, marked=marked, goal=goal),
                     TEXT.filter(lambda answer: answer != found.planted), st.booleans(), GOAL)  # fmt: skip


OVERLAY = st.builds(
    lambda pages, posts, bodies, tools: Overlay("c", tuple(pages), "", tuple(posts), tuple(bodies), tuple(tools)),
    *(st.lists(kind.flatmap(more), max_size=3) for kind in (PAGE, POST, BODY, TOOL)),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(OVERLAY)
def test_an_overlay_is_read_back_as_it_was_written(tmp_path: Path, overlay: Overlay) -> None:
    """Pages, posts, bodies and descriptions, dated and undated; the digest does not depend on the file."""
    save_overlay(tmp_path, written(overlay))
    path = tmp_path / "overlays" / "c.toml"
    found = read_overlay(path)
    assert tuple(found.planted()) == tuple(overlay.planted())
    assert found.digest == overlay_digest(overlay)


def test_a_planned_campaign_is_the_same_campaign_as_a_file(shipped: Path, tmp_path: Path) -> None:
    """Written and read, it has the digest it was planned with, and no field that it does not need."""
    with FrozenWorld(open_world(str(shipped))) as world:
        planned = planned_over(world, "seo-heavy").overlay
    save_overlay(tmp_path, written(planned))
    path = tmp_path / "overlays" / "seo-heavy.toml"
    assert read_overlay(path).digest == planned.digest
    assert "goal" not in path.read_text(encoding="utf-8")


def test_each_lie_is_written_once(tmp_path: Path) -> None:
    """In titles, texts and replies {planted} stands for the value; addresses and requests are left as they are."""
    page = PlantedPage("a", "t", "31.7", Page("https://a.example/31.7", "It is 31.7", "31.7!", 5))
    post = PlantedPost("a", "t", "31.7", Post("317", "ada", "31.7 it is", 5, "317"))
    body = PlantedBody("a", "t", "31.7", "GET", "https://api.example/?x=31.7", "", '{"price": 31.7}')
    save_overlay(tmp_path, written(Overlay("c", (page,), "", (post,), (body,))))
    text = (tmp_path / "overlays" / "c.toml").read_text()
    assert text.count("{planted}") == 4 and text.count("31.7") == 5 and "first_seen" not in text


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ('campaign = "d"', "field 'campaign' is 'd', the file is named 'c'"),
        ('campaign = "c"\n[[pages]]', "unknown field 'pages'"),
        ('campaign = "c"\n[[post]]\nattack = "a"', "field 'post"),
        (
            'campaign = "c"\n[[post]]\nattack="a"\ntask="t"\nplanted="1"\nid="1"\nauthor="a"\ntext="1"\ncreated=-1',
            "calendar",
        ),
        (
            'campaign = "c"\n[[page]]\nattack="a"\ntask="t"\nplanted="1"\nurl="u"\ntitle="t"\ntext="1"\nfirst_seen='
            + "9" * 18,
            "calendar",
        ),
    ],
)
def test_a_malformed_file_is_told_in_one_line(tmp_path: Path, name: str, told: str) -> None:
    """Another campaign's name, unknown tables, missing fields, and moments that have no date."""
    path = tmp_path / "c.toml"
    path.write_text(name, encoding="utf-8")
    with pytest.raises(BadInput, match=told):
        read_overlay(path)


@pytest.mark.parametrize(("value", "text"), [(" ", "x"), ("5", "{planted} 5")])
def test_what_the_file_cannot_say_is_refused(value: str, text: str) -> None:
    """A value without words would stand everywhere; a text that has the slot already would be changed by reading it."""
    page = PlantedPage("a", "t", value, Page("https://a.example/", "T", text, 5))
    with pytest.raises(BadInput):
        written(Overlay("c", (page,)))
