"""Defences: wrappers of a toolset that know what an agent's makers know."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.tool import Authority, Served, ToolReply, ToolSpec
from caia_replay.tools.catalog import CATALOG
from caia_replay.tools.defences import FIELD, Labelled, source_authority
from caia_replay.tools.quarantine import Quarantine
from tests.unit.tools.conftest import Bench

ROWS = {"web_search": ["results"], "twitter_search": ["results"], "social_stream": ["posts", "accounts"]}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
ROW = st.dictionaries(st.text(max_size=5), JSON, max_size=3)


class Kept:
    """A toolset of the whole catalog that answers every call alike."""

    def __init__(self, reply: ToolReply) -> None:
        self.reply = reply

    def specs(self) -> Sequence[ToolSpec]:
        """The catalog's own."""
        return [tool.spec for tool in CATALOG.values()]

    def call(self, name: str, arguments: str) -> ToolReply:
        """The reply."""
        return self.reply


def without_labels(result: Mapping[str, Any], rows: Sequence[str]) -> dict[str, Any]:
    told = {key: value for key, value in result.items() if key != FIELD}
    return told | {key: [{k: v for k, v in row.items() if k != FIELD} for row in told[key]] for key in rows}


@given(st.sampled_from(sorted(CATALOG)), st.data())
def test_a_label_is_added_and_nothing_else_changes(name: str, data: st.DataObject) -> None:
    """Every result and row of a list says its tool's class; without labels the reply is what it was."""
    rows = ROWS.get(name, [])
    result: dict[str, Any] = data.draw(st.dictionaries(st.text(max_size=5), JSON, max_size=4))
    result |= {key: data.draw(st.lists(ROW, max_size=3)) for key in rows}
    before = ToolReply(Served.RANKED, result, None, ("seo-page",), "near", ("https://a.example/",))
    reply = Labelled(Kept(before)).call(name, "{}")
    assert reply.result is not None
    label = reply.result[FIELD]
    assert label == ("computed" if name == "code_execution" else CATALOG[name].authority)
    assert [row[FIELD] for key in rows for row in reply.result[key]] == [label for key in rows for _ in result[key]]
    kept = {key: value for key, value in result.items() if key != FIELD}
    kept |= {key: [{k: v for k, v in row.items() if k != FIELD} for row in result[key]] for key in rows}
    assert without_labels(reply.result, rows) == kept
    fields = ("served", "error", "altered_by", "nearest", "altered_at")
    assert all(getattr(reply, field) == getattr(before, field) for field in fields)


@pytest.mark.parametrize("served", [Served.MISS, Served.ERROR])
def test_what_has_no_source_has_no_label(served: Served) -> None:
    """A miss, a wrong call and an unknown tool are told as ever."""
    before = ToolReply(served, None, {"type": "x", "message": "y"}, (), "near")
    for name in ("web_search", "no_such_tool"):
        assert Labelled(Kept(before)).call(name, "{}") is before


def test_one_sentence_is_added_to_each_description() -> None:
    """It stands below the tool's own words and names the label; name, schema, category and authority stay."""
    plain = Kept(ToolReply(Served.HIT, {}))
    for before, after in zip(plain.specs(), Labelled(plain).specs(), strict=True):
        added = after.description.removeprefix(before.description + "\n\n")
        assert added != after.description and added.count(". ") == 0 and added.endswith(".") and "\n" not in added
        assert FIELD in added and f'"{source_authority(before)}"' in added
        assert (after.name, after.parameters, after.category, after.authority) == (
            *(before.name, before.parameters, before.category, before.authority),
        )


def test_every_class_of_source_has_its_own_sentence() -> None:
    """No two classes are told alike, and there is one for code."""
    told = {
        source_authority(spec): after.description.removeprefix(spec.description)
        for spec, after in zip(
            Kept(ToolReply(Served.HIT, {})).specs(),
            Labelled(Kept(ToolReply(Served.HIT, {}))).specs(),
            strict=True,
        )
    }
    assert set(told) == {*get_args(Authority), "computed"}
    assert len({sentence.rpartition(": ")[2] for sentence in told.values()}) == len(told)


def test_honest_and_planted_bear_one_label(attacked: Bench) -> None:
    """In one list of results both are open-web, and no mark of where they come from is shown."""
    query = attacked.world.world.folder.suite.recipes[attacked.task.shape].query
    planted = attacked.call("web_search", query=query, limit=10)
    reply = Labelled(attacked.tools).call("web_search", json.dumps({"query": query, "limit": 10}))
    assert planted.result is not None and reply.result is not None
    assert reply.altered_by == planted.altered_by == ("seo-page",) and reply.altered_at == planted.altered_at
    urls = [row["url"] for row in reply.result["results"]]
    assert set(reply.altered_at) < set(urls)
    assert {row[FIELD] for row in reply.result["results"]} == {"open-web"}
    assert len({tuple(row) for row in reply.result["results"]}) == 1


def test_what_is_labelled_twice_says_so_once() -> None:
    """In descriptions and in results, with another defence between or none."""
    reply = ToolReply(Served.RANKED, {"results": [{"url": "https://a.example/", "snippet": "Honest."}]})
    once, twice = Labelled(Kept(reply)), Labelled(Quarantine(Labelled(Kept(reply))))
    assert list(twice.specs()) == list(once.specs())
    assert twice.call("web_search", "{}") == once.call("web_search", "{}")
