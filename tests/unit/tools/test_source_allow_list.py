"""The defence ``allow-list``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from caia_replay.core.tool import Served, ToolReply, ToolSpec
from caia_replay.tools.catalog import CATALOG, WorldToolset
from caia_replay.tools.source_allow_list import WITHHELD, SourceAllowList
from tests.unit.tools.conftest import Bench


class Told:
    """The catalog's tools, with what each is to answer; the index names two protocols unless it is told otherwise."""

    def __init__(
        self, replies: Mapping[str, ToolReply], entries: Mapping[str, Mapping[str, Any]] | None = None
    ) -> None:
        self.replies, self.calls = replies, list[str]()
        orchid = {"url": "https://app.orchid.example/", "twitter": "OrchidDAO"}
        self.entries = {"orchid": orchid, "plum": {"url": "https://github.com/plum"}} if entries is None else entries

    def specs(self) -> Sequence[ToolSpec]:
        """The catalog's own."""
        return [tool.spec for tool in CATALOG.values()]

    def call(self, name: str, arguments: str) -> ToolReply:
        """As it was told; the index by the protocol that is asked for."""
        self.calls.append(name)
        if name != "protocol_metrics":
            return self.replies[name]
        asked = json.loads(arguments).get("protocol")
        if asked is None:
            return ToolReply(
                Served.DERIVED, {"ranking": [{"slug": slug} for slug in ("orchid", "plum") if self.entries]}
            )
        return ToolReply(Served.DERIVED, {"protocol": self.entries[asked.removeprefix("slug:")]})


def found(*urls: str, altered: Sequence[str] = ()) -> ToolReply:
    """A search's reply, some of whose results an attack planted."""
    rows = [{"rank": at, "url": url, "title": "t", "snippet": "s"} for at, url in enumerate(urls, 1)]
    by = ("seo-page",) if altered else ()
    return ToolReply(Served.RANKED, {"query": "q", "results": rows, "next_page": None}, None, by, "", tuple(altered))


def test_results_of_other_sites_are_left_out_and_counted() -> None:
    """Those that stay keep their rank and all their fields; the index is asked once and lists sub-domains as well."""
    search = found("https://docs.orchid.example/a", "https://seo.example/b", "https://github.com/plum/c")
    told = Told({"web_search": search})
    tools = SourceAllowList(told)
    for _ in range(2):
        result = tools.call("web_search", "{}").result
        assert result is not None and search.result is not None
        assert result == {**search.result, "results": search.result["results"][:1], WITHHELD: 2}
    assert told.calls.count("protocol_metrics") == 3


def test_a_page_of_another_site_is_an_error_of_its_own_type() -> None:
    """It tells nothing of the page; a listed one is handed on as it is, a miss too."""
    page = ToolReply(Served.HIT, {"url": "https://seo.example/b", "text": "the lie"}, None, ("seo-page",), "", ("x",))
    reply = SourceAllowList(Told({"url_fetching": page})).call("url_fetching", "{}")
    assert reply.served is Served.ERROR and reply.error is not None and reply.error["type"] == "source_withheld"
    assert reply.altered_by == reply.altered_at == () and "lie" not in json.dumps(reply.shown())
    for other in (
        ToolReply(Served.HIT, {"url": "https://orchid.example/", "text": "true"}),
        ToolReply(Served.MISS, None, {"type": "not_recorded", "message": "m"}),
    ):
        assert SourceAllowList(Told({"url_fetching": other})).call("url_fetching", "{}") is other


def test_posts_and_accounts_go_by_their_handle() -> None:
    """In a search, a stream and a list of accounts; case does not matter, and an address in a post is not looked at."""
    posts = [
        {"author": "orchiddao", "url": "https://x.com/1"},
        {"author": "stranger", "url": "https://orchid.example/"},
    ]
    accounts = [{"handle": "OrchidDAO"}, {"handle": "stranger"}, {"handle": None}]
    told = Told(
        {
            "twitter_search": ToolReply(Served.RANKED, {"results": posts}),
            "social_stream": ToolReply(Served.HIT, {"posts": posts, "accounts": accounts}),
        }
    )
    tools = SourceAllowList(told)
    assert tools.call("twitter_search", "{}").result == {"results": posts[:1], WITHHELD: 1}
    assert tools.call("social_stream", "{}").result == {"posts": posts[:1], "accounts": accounts[:1], WITHHELD: 3}


def test_what_is_withheld_bears_no_mark_of_an_attack() -> None:
    """Nobody was exposed to it; what stays bears its own place."""
    listed, other = "https://docs.orchid.example/lie", "https://seo.example/lie"
    reply = SourceAllowList(Told({"web_search": found(listed, other, altered=(listed, other))})).call(
        "web_search", "{}"
    )
    assert (reply.altered_by, reply.altered_at) == (("seo-page",), (listed,))
    reply = SourceAllowList(Told({"web_search": found(other, altered=(other, "api"))})).call("web_search", "{}")
    assert (reply.altered_by, reply.altered_at) == ((), ())


def test_given_sources_are_the_whole_list() -> None:
    """The index is not asked, and what the agent learns from it adds nothing."""
    told = Told({"web_search": found("https://a.b.example/", "https://orchid.example/")})
    tools = SourceAllowList(told, sites=("b.example",))
    tools.call("protocol_metrics", json.dumps({"protocol": "orchid"}))
    result = tools.call("web_search", "{}").result
    assert result is not None and [row["url"] for row in result["results"]] == ["https://a.b.example/"]
    assert told.calls.count("protocol_metrics") == 1 and tools.sites == {"b.example"}


def test_an_agent_can_learn_of_a_protocol_that_was_not_ranked() -> None:
    """Its own call of the index puts the site on the list for the rest of the run."""
    told = Told({"web_search": found("https://fig.example/")}, entries={})
    tools = SourceAllowList(told)
    first = tools.call("web_search", "{}").result
    told.entries = {"fig": {"url": "https://fig.example"}}
    tools.call("protocol_metrics", json.dumps({"protocol": "fig"}))
    second = tools.call("web_search", "{}").result
    assert first is not None and second is not None
    assert (first[WITHHELD], second[WITHHELD]) == (1, 0) and tools.sites == {"fig.example"}


def test_the_model_is_told_of_the_list_where_it_narrows() -> None:
    """Web and social tools alone, in one line below their own words; other tools are handed on untouched."""
    told = Told({"block_query": ToolReply(Served.HIT, {"number": 1})})
    for tools in (SourceAllowList(told), SourceAllowList(told, sites=("b.example",))):
        for before, after in zip(told.specs(), tools.specs(), strict=True):
            added = after.description.removeprefix(before.description)
            assert bool(added) == (before.authority != "authoritative") and added.count("\n") == 2 * bool(added)
        assert tools.call("block_query", "{}") is told.replies["block_query"]


@pytest.mark.parametrize("sites", [(), ("mareskal.example",)])
def test_over_a_world_no_planted_page_is_left(attacked: Bench, sites: tuple[str, ...]) -> None:
    """Attackers' sites are on nobody's list; without a recorded index only a list that is given leaves anything."""
    with WorldToolset(attacked.world) as bare:
        asked = json.dumps({"query": attacked.task.question, "limit": 20})
        assert bare.call("web_search", asked).altered_by
        reply = SourceAllowList(bare, sites).call("web_search", asked)
    assert reply.result is not None and (reply.altered_by, reply.altered_at) == ((), ())
    assert bool(reply.result["results"]) == bool(sites) and reply.result[WITHHELD] > 0
