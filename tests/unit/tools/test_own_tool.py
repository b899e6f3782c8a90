"""A suite's own tools: what they ask, what they show, and what a tools.toml may not say."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.own_tool import OwnParameter, OwnTool
from caia_replay.core.tool import Served
from caia_replay.errors import BadInput, ToolError
from caia_replay.models.wire import tool_to_wire
from caia_replay.recording.record import Recorder
from caia_replay.runner.episode import tools_in
from caia_replay.store.world_folder import open_world, seal_world
from caia_replay.tools.catalog import WorldToolset, catalog_of
from caia_replay.tools.own_tool import request_of, shown
from caia_replay.world.world import FrozenWorld
from tests.loan_library import ORIGIN, TOOLS, library, write_world

NAMES = ["code_execution", "loan", "titles_lent", "days_lent"]


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WorldToolset]:
    """The library's tools over what its server said."""
    world = write_world(tmp_path_factory.mktemp("own"))
    (world / "tools.toml").write_text(TOOLS)
    with library() as here, Recorder(world / "http" / "own.json", {ORIGIN: here}) as client:
        for path in ("/loans/7", "/loans/404", "/loans", "/loans?branch=north"):
            client.get(f"{ORIGIN}{path}")
        client.post(f"{ORIGIN}/search", json={"title": "Emma"})
        client.post(f"{ORIGIN}/search", json={"title": "Nobody"})
    seal_world(world)
    folder = open_world(str(world))
    with FrozenWorld(folder) as frozen, WorldToolset(frozen.task(folder.task("oldest"))) as made:
        yield made


@pytest.mark.parametrize(
    ("tool", "arguments", "served", "told"),
    [
        ("loan", {"number": 7}, Served.HIT, '"title": "Emma"'),
        ("loan", {"number": "7"}, Served.HIT, '"title": "Emma"'),
        ("loan", {"number": 8}, Served.MISS, "not recorded"),
        ("loan", {"number": 404}, Served.ERROR, "refused with status 404: no loan 404"),
        ("loan", {}, Served.ERROR, "number"),
        ("loan", {"number": 7, "id": 7}, Served.ERROR, "no argument"),
        ("titles_lent", {}, Served.HIT, ["Emma", "Ulysses", "Dracula"]),
        ("titles_lent", {"branch": None}, Served.HIT, ["Emma", "Ulysses", "Dracula"]),
        ("titles_lent", {"branch": "north"}, Served.HIT, ["Emma", "Dracula"]),
        ("titles_lent", {"branch": "south"}, Served.MISS, "not recorded"),
        ("days_lent", {"title": "Emma"}, Served.HIT, 21),
        ("days_lent", {"title": "Nobody"}, Served.ERROR, "nothing at $.loans[0].days"),
        ("price_feed", {}, Served.ERROR, "no tool 'price_feed'"),
    ],
)
def test_each_call_is_served_as_any_other(
    tools: WorldToolset, tool: str, arguments: Any, served: Served, told: Any
) -> None:
    """A recorded answer, a typed miss, or an error that says what is wrong; never an empty value."""
    reply = tools.call(tool, json.dumps(arguments))
    assert reply.served is served
    if served is Served.HIT:
        assert reply.result is not None and (reply.result.get("value") == told or told in reply.result.get("text", ""))
    else:
        assert reply.error is not None and told in str(reply.error["message"])


def test_own_tools_stand_in_the_specifications_with_their_authority(tools: WorldToolset) -> None:
    """They follow the package's tools that the file names, in OpenAI's strict form; an arm looks at their authority."""
    specs = tools.specs()
    assert [spec.name for spec in specs] == NAMES
    assert [spec.authority for spec in specs][1:] == ["authoritative", "authoritative", "open-web"]
    wire = tool_to_wire(specs[2])["function"]
    assert wire["strict"] and wire["parameters"]["required"] == ["branch"]
    assert wire["parameters"]["properties"]["branch"]["anyOf"][1] == {"type": "null"}
    catalog = catalog_of(tools._tools["loan"].world.world.folder)  # type: ignore[attr-defined]
    assert tools_in("authority-only", catalog) == tuple(NAMES[:-1])


TOOL = """[[tool]]
name = "loan"
description = "A loan."
authority = "authoritative"
url = "https://a.example/{id}"
"""
ID = '[tool.parameters.id]\ntype = "text"\ndescription = "Which."\n'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (TOOL, "{id} is no parameter"),
        (TOOL + ID + ID.replace(".id", ".more"), "'more' is used nowhere"),
        (TOOL + ID + "required = false\n", "cannot be left out"),
        (TOOL.replace("https://a.example/{id}", "https://{id}/x") + ID, "the host of url"),
        (TOOL.replace("https://a.example/{id}", "https://a:b@c.example/{id}") + ID, "the host of url"),
        (TOOL.replace("https", "file") + ID, "no https://host/path"),
        (TOOL.replace("{id}", "{id}?x=1") + ID, "tool.query"),
        (TOOL + 'headers = { Authorization = "Bearer x" }\n' + ID, "is a credential"),
        (TOOL + 'query = { api_key = "abc" }\n' + ID, "is a credential"),
        (TOOL + 'show = "$..title"\n' + ID, "understood are"),
        (TOOL + "body = { a = 1 }\n" + ID, "a GET has no body"),
        (TOOL.replace('"loan"', '"block_query"') + ID, "has a tool 'block_query' already"),
        (TOOL.replace('"loan"', '"submit_answer"') + ID, "is taken"),
        (TOOL + ID + TOOL + ID, "two tools are called 'loan'"),
        ('catalog = ["block_qery"]\n', "nearest: block_query"),
        (TOOL.replace("authority", "autority") + ID, "nearest: authority"),
        (TOOL.replace('"authoritative"', '"true"') + ID, "not one of"),
    ],
)
def test_a_file_that_could_not_be_asked_is_refused(tmp_path: Path, text: str, told: str) -> None:
    """One line that names the file and the fault, with exit code 2."""
    world = write_world(tmp_path)
    (world / "tools.toml").write_text(text)
    seal_world(world)
    with pytest.raises(BadInput) as caught:
        catalog_of(open_world(str(world)))
    assert told in str(caught.value) and "tools.toml" in str(caught.value) and "\n" not in str(caught.value)


ASKS = OwnTool(
    *("one", "One.", "authoritative", "https://a.example/x/{a}/y"),
    query={"q": "{b}", "both": "{a}:{b}", "fixed": "1"},
    parameters={"a": OwnParameter("text", "A."), "b": OwnParameter("text", "B.", required=False)},
)


@given(st.text(min_size=1, max_size=30), st.none() | st.text(max_size=30))
def test_an_argument_stays_in_its_place(a: str, b: str | None) -> None:
    """Whatever the text, it comes back out of its own place of the address, and no other place changes."""
    if a in (".", "..") or not (a + (b or "")).isprintable():
        return
    parts = urlsplit(request_of(ASKS, {"a": a, "b": b}).url)
    assert (parts.scheme, parts.netloc, parts.fragment) == ("https", "a.example", "")
    assert [unquote(part) for part in parts.path.split("/")[1:]] == ["x", a, "y"]
    wanted = {"fixed": ["1"]} if b is None else {"fixed": ["1"], "q": [b], "both": [f"{a}:{b}"]}
    assert parse_qs(parts.query, keep_blank_values=True) == wanted


@pytest.mark.parametrize("part", ["", ".", ".."])
def test_what_would_lead_to_another_path_is_refused(part: str) -> None:
    """An empty part or dots are no argument for a path."""
    with pytest.raises(ToolError, match="no part of an address"):
        request_of(ASKS, {"a": part, "b": None})


@pytest.mark.parametrize(
    ("show", "value"),
    [
        ("$", {"a": [{"b": 1}, {"b": None}], "c d": {}}),
        ("$.a[0].b", 1),
        ("$.a[1].b", None),
        ("$.a[*].b", [1, None]),
        ("$['c d'].*", []),
        ("$.a[2]", ToolError),
        ("$.z", ToolError),
        ("$.z[*]", ToolError),
        ("$.a[*].z", []),
    ],
)
def test_what_is_shown_is_what_the_path_selects(show: str, value: Any) -> None:
    """A null that was recorded is shown; a place that is not there is an error, and of many places those there are."""
    tool = OwnTool("one", "One.", "social", "https://a.example/", show=show)
    content = {"a": [{"b": 1}, {"b": None}], "c d": {}}
    if value is ToolError:
        with pytest.raises(ToolError, match="nothing at"):
            shown(tool, content)
    else:
        assert shown(tool, content) == value
