"""The defence allow-list, and whose site an address is of."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.tool import Served, ToolReply, ToolSpec
from caia_replay.tools.catalog import CATALOG, WorldToolset
from caia_replay.tools.source_allow_list import WITHHELD, SourceAllowList
from caia_replay.tools.source_site import handle_of, host_of, is_of, named_by, own_site, owner_of
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
    """The index is not asked; without a list the agent's own call of the index puts a site on it."""
    told = Told({"web_search": found("https://a.b.example/", "https://orchid.example/")})
    tools = SourceAllowList(told, sites=("b.example",))
    tools.call("protocol_metrics", json.dumps({"protocol": "orchid"}))
    result = tools.call("web_search", "{}").result
    assert result is not None and [row["url"] for row in result["results"]] == ["https://a.b.example/"]
    assert told.calls.count("protocol_metrics") == 1 and tools.sites == {"b.example"}
    told = Told({"web_search": found("https://fig.example/")}, entries={})
    tools = SourceAllowList(told)
    first = tools.call("web_search", "{}").result
    told.entries = {"fig": {"url": "https://fig.example"}}
    tools.call("protocol_metrics", json.dumps({"protocol": "fig"}))
    second = tools.call("web_search", "{}").result
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


@pytest.mark.parametrize(
    ("address", "owner"),
    [
        ("https://docs.orchid.example/a?b#c", "orchid.example"),
        ("http://WWW.Orchid.Example:8080/", "orchid.example"),
        ("https://a.b.co.uk/x", "b.co.uk"),
        ("https://orchid.example@evil.example/", "evil.example"),
        ("https://10.0.0.1/x", "10.0.0.1"),
        ("https://evil.example\\@orchid.example/", ""),
        ("https://evil.example /", ""),
        ("https://[::1", ""),
        ("", ""),
    ],
)
def test_an_address_belongs_to_its_registrable_domain(address: str, owner: str) -> None:
    """Whatever stands around it; what could be read in two ways belongs to nobody."""
    assert owner_of(address) == owner


@given(st.text(max_size=40))
def test_no_text_breaks_it(text: str) -> None:
    """Any text has an owner or none, and is on no empty list."""
    assert owner_of(text) in host_of(text)
    assert not is_of(text, ())


def test_a_site_covers_what_is_below_it_and_nothing_beside() -> None:
    """An entry on a shared site names its own host; only fields of the index name somebody, other shapes nobody."""
    sites = {"orchid.example"}
    assert is_of("https://docs.orchid.example/x", sites) and is_of("https://www.orchid.example", sites)
    assert not is_of("https://notorchid.example/", sites) and not is_of("https://orchid.example.evil.example/", sites)
    assert not is_of("https://orchid.example/", {"docs.orchid.example"})
    assert own_site("https://app.orchid.example/") == "orchid.example"
    assert own_site("https://orchid.gitbook.io/docs") == "orchid.gitbook.io"
    assert own_site("https://github.com/orchid") == own_site("https://medium.com/@orchid") == ""
    facts = {
        "url": "https://orchid.example/",
        "twitter": "@Orchid",
        "name": "https://evil.example",
        "description": "x.co",
    }
    assert named_by({"protocol": facts}) == ("orchid.example", "orchid")
    assert handle_of(" @Orchid ") == "orchid" and handle_of(None) == ""
    for result in (None, {}, {"protocol": None}, {"protocol": "x"}, {"protocol": {"url": 3}}):
        assert named_by(result) == ("", "")
