"""Tasks, suites, offers and overlays as TOML: read back as written, and a wrong field named."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from caia_replay.core.attack import AttackSurface, Decoy, Misreading, StaleAnswer
from caia_replay.core.goal import Goal
from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.overlay import Overlay, PlantedBody, PlantedPage, PlantedPost, PlantedTool, overlay_digest
from caia_replay.core.suite import ChainRecipe, Recipe, Suite, SuiteEntry
from caia_replay.core.task import Anchor, AnswerSpec, Task
from caia_replay.core.world import Page, Post
from caia_replay.errors import BadInput
from caia_replay.runner.campaign import planned_over
from caia_replay.store.overlay_file import read_overlay, save_overlay, written
from caia_replay.store.plain import build, read_toml, thawed, toml_text
from caia_replay.store.target_file import TARGETS, read_targets, save_targets
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld


@dataclass(frozen=True)
class Small:
    name: str
    kind: Literal["a", "b"]
    count: int = 0
    note: str | None = None
    parts: tuple[str, ...] = ()


TEXT = st.text(max_size=30)
ARGUMENT = st.recursive(
    TEXT | st.integers(-(2**63), 2**63 - 1) | st.booleans(),
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
TASKS = st.builds(
    Task,
    id=TEXT,
    question=TEXT,
    category=st.sampled_from(["overlap", "tokenomics"]),
    language=TEXT,
    shape=TEXT,
    anchor=st.builds(Anchor, TEXT, st.integers(0, 10**9), st.integers(0, 10**10)),
    answer=st.builds(AnswerSpec, st.just("number"), st.lists(TEXT, min_size=1, max_size=3).map(tuple)),
    gold=st.builds(
        GoldChain,
        st.lists(st.builds(GoldStep, TEXT, st.dictionaries(TEXT, ARGUMENT, max_size=3)), min_size=1, max_size=3).map(
            tuple
        ),
        TEXT,
    ),
    stake_usd=TEXT,
    stake_reason=TEXT,
    tags=st.lists(TEXT, max_size=2).map(tuple),
)


@given(TASKS)
def test_tasks_survive_the_way_to_disk_and_back(task: Task) -> None:
    """A task written as TOML and read back is the same task, whatever its texts hold."""
    assert thawed(build(Task, tomllib.loads(toml_text(thawed(task))), "t")) == thawed(task)


def test_a_wrong_field_is_named_in_one_line(tmp_path: Path) -> None:
    """Unknown, missing and mistyped fields; a missing file, no UTF-8, broken TOML; nested tables survive."""
    recipe = Recipe("block (?P<n>\\d+)", "gas {n}", "(?P<answer>.+)", ChainRecipe("block_query", {"block": "{n}"}, "x"))
    suite = Suite("s", "1", (SuiteEntry("t", "2026-01-01"),), {"shape one": recipe, "b": recipe})
    assert thawed(build(Suite, tomllib.loads(toml_text(thawed(suite))), "s")) == thawed(suite)
    for data, word in [
        ({"name": "x", "kind": "a", "cuont": 1}, "nearest: count"), ({"kind": "a"}, "'name' is missing"),
        ({"name": "x", "kind": "c"}, "not one of a, b"),
        ({"name": "x", "kind": "a", "count": "1"}, "not a whole number"),
        ({"name": "x", "kind": "a", "count": True}, "not a whole number"),
        ({"name": "x", "kind": "a", "parts": "abc"}, "not a list"),
        ({"name": "x", "kind": "a", "parts": [1]}, "parts[0]"), ([], "a table"),
    ]:  # fmt: skip
        with pytest.raises(BadInput) as caught:
            build(Small, data, "file.toml")
        assert word in str(caught.value)
        assert "file.toml" in str(caught.value)
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    (tmp_path / "broken.toml").write_text("a = ")
    for name in ("missing.toml", "bytes.toml", "broken.toml"):
        with pytest.raises(BadInput, match=name):
            read_toml(tmp_path / name)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = 0x" + "f" * 9_000, "36000 bits"), ("a = [{ b = 0b1" + "0" * 256 + " }]", "257 bits"),
        ("a = 0o" + "7" * 9_000, "27000 bits"), ("a = " + "9" * 5_000, "not a TOML file"), ("a = 1e999", "inf"),
        ("a = nan", "nan"), ("a = 2026-11-20", "2026-11-20"), ("a = " + "[" * 2_000, "not a TOML file"),
        (".".join(["a"] * 3_000) + " = 1", "a name of more than 50 parts"),
        (" . ".join(["'a'", '"b"'] * 30) + " = 1", "a name of more than 50 parts"),
    ],
    ids=["hexadecimal", "binary", "octal", "decimal", "infinity", "nan", "day", "brackets", "dots", "quoted"],
)  # fmt: skip
def test_what_has_no_end_is_refused_in_one_line(tmp_path: Path, text: str, said: str) -> None:
    """Numbers in every base, nesting and names of any length; as wide as a chain's numbers, all is read."""
    path = tmp_path / "x.toml"
    path.write_text(text)
    with pytest.raises(BadInput, match=said) as caught:
        read_toml(path)
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)
    path.write_text(f"a = {2**256 - 1}\nb.c.d = '{'w.' * 40}'")
    assert read_toml(path) == {"a": 2**256 - 1, "b": {"c": {"d": "w." * 40}}}


SPOKEN = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
SAID = SPOKEN.filter(bool)
KIND = st.sampled_from(["look-alike token", "look-alike address", "honeypot", "inscription"])
OFFER = st.builds(
    AttackSurface,
    SAID,
    SAID,
    SAID.map("{}{{planted}}".format),
    st.lists(SAID, max_size=3).map(tuple),
    st.none() | st.builds(StaleAnswer, SAID, st.integers(0, 10**10)),
    st.lists(st.builds(Misreading, SAID, st.integers(2, 10**6), SAID), max_size=2).map(tuple),
    st.lists(st.builds(Decoy, KIND, SAID, SAID, SPOKEN, SPOKEN, SPOKEN), max_size=2).map(tuple),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(offers=st.lists(OFFER, max_size=4, unique_by=lambda offer: offer.task))
def test_what_is_written_is_read_back(tmp_path: Path, offers: list[AttackSurface]) -> None:
    """Every field, sorted by task; equal offers in another order give equal bytes."""
    save_targets(tmp_path, offers)
    data = (tmp_path / TARGETS).read_bytes()
    assert list(read_targets(tmp_path).values()) == sorted(offers, key=lambda offer: offer.task)
    save_targets(tmp_path, reversed(offers))
    assert (tmp_path / TARGETS).read_bytes() == data


def test_what_is_empty_is_not_written(tmp_path: Path) -> None:
    """A decoy without an answer says nothing of one; no file, no offer."""
    assert read_targets(tmp_path) == {}
    save_targets(tmp_path, [])
    assert read_targets(tmp_path) == {}
    save_targets(tmp_path, [AttackSurface("t", "q", "{planted}", decoys=(Decoy("honeypot", "0x1", "c"),))])
    assert (tmp_path / TARGETS).read_text().splitlines() == [
        "[[target]]", 'task = "t"', 'query = "q"', 'claim = "{planted}"',
        'decoys = [{ kind = "honeypot", address = "0x1", chain = "c" }]',
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[[target]]\ntask = "t"\nquery = "q"\nclaim = "It is 5."\n', "claim of 't' has no {planted}"),
        ('[[target]]\ntask = "t"\nquery = "q"\nclaim = "{planted}"\n' * 2, "task 't' is told twice"),
        ('[[target]]\ntask = "t"\nquery = "q"\n', "claim"),
        ('[[target]]\ntask = "t"\nquery = "q"\nclaim = "{planted}"\nlie = "5"\n', "unknown field"),
        ('[[target]]\ntask = "t"\nquery = "q"\nclaim = "{planted}"\ndecoys = [{ kind = "trap" }]\n', "not one of"),
        ("[[target]\n", "not a TOML file"),
    ],
)
def test_a_malformed_file_is_bad_input(tmp_path: Path, text: str, said: str) -> None:
    """One line that names the file and what is wrong."""
    (tmp_path / TARGETS).write_text(text)
    with pytest.raises(BadInput) as caught:
        read_targets(tmp_path)
    assert said in str(caught.value) and TARGETS in str(caught.value)


T = TypeVar("T", PlantedPage, PlantedPost, PlantedBody, PlantedTool)
WORDS = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=20)
VALUE = WORDS.filter(str.strip)
MOMENT = st.integers(0, 253_402_300_799)
PAGE = st.builds(
    lambda value, url, title, text, date, seen, author, language: PlantedPage(
        "seo-page", "t", value, Page(url, title + value, text + value, date, "seo-page", author, language, seen)
    ),
    VALUE, WORDS, WORDS, WORDS, st.none() | MOMENT, st.none() | MOMENT, WORDS, WORDS,
)  # fmt: skip
POST = st.builds(
    lambda value, number, author, text, created, thread, reply, likes: PlantedPost(
        "rumour", "t", value,
        Post(str(number), author, text + value, created, thread or str(number), reply, "en", likes, 0, 2, "rumour"),
    ),
    VALUE, st.integers(0, 10**18), WORDS, WORDS, MOMENT, st.just("") | st.integers(1, 9).map(str), WORDS,
    st.integers(0, 10**9),
)  # fmt: skip
BODY = st.builds(
    lambda value, method, url, body, reply: PlantedBody("api", "t", value, method, url, body, reply + value),
    VALUE, st.sampled_from(["GET", "POST"]), WORDS, WORDS, WORDS,
)  # fmt: skip
GOAL = st.none() | st.builds(Goal, WORDS, WORDS, WORDS, st.booleans())
TOOL = st.builds(lambda name, text, task, answer: PlantedTool("poison", task, "", name, text, answer),
                 WORDS, WORDS, WORDS, WORDS)  # fmt: skip


def more(found: T) -> st.SearchStrategy[T]:
    """The same thing planted, with what any of them may say of its success."""
    return st.builds(lambda answer, marked, goal: replace(found, answer=answer, marked=marked, goal=goal),
                     WORDS.filter(lambda answer: answer != found.planted), st.booleans(), GOAL)  # fmt: skip


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
        planned = planned_over(world, "edited").overlay
    save_overlay(tmp_path, written(planned))
    path = tmp_path / "overlays" / "edited.toml"
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
