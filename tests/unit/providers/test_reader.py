import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.cassette.identity import identity
from caia_replay.core.provider import HttpReply, Recorded
from caia_replay.errors import Miss, ToolError
from caia_replay.providers.reader import ReaderProvider, page_request, page_url, read_page


def reply(content: object, status: int = 200) -> HttpReply:
    return HttpReply(status, {}, json.dumps(content).encode())


URLISH = st.lists(
    st.sampled_from([*"/.%#?&=@:[]\\ ", "https://", "a.example", "..", "%2e", "é", "1", "\x00"]), max_size=9
)


@given(st.text(max_size=80) | URLISH.map("".join) | URLISH.map(lambda parts: "https://a.example" + "".join(parts)))
def test_an_address_is_either_canonical_or_refused(text: str) -> None:
    """page_url is idempotent on what it accepts, and refuses the rest with a ToolError."""
    try:
        once = page_url(text)
    except ToolError:
        return
    assert page_url(once) == once


def test_fragments_and_host_case_do_not_make_another_page() -> None:
    """The same page written three ways is asked for once."""
    assert {page_url(url) for url in ("https://A.example", "https://a.example/", " https://a.example/#top ")} == {
        "https://a.example/"
    }


@pytest.mark.parametrize("climb", ["/../", "/x/../../", "/%2E%2e/", "/./../"])
def test_a_path_that_climbs_stays_on_its_own_host(climb: str) -> None:
    """The reader carries the address in its own path, where dots must not reach another page's address."""
    other = page_request("https://docs.example/page")
    climbed = page_request(f"https://elsewhere.example{climb}docs.example/page")
    assert climbed.url == "https://r.jina.ai/https://elsewhere.example/docs.example/page"
    assert identity("GET", climbed.url) != identity("GET", other.url)
    for host in (".", "..", "%2e", "a%2fb", ""):
        with pytest.raises(ToolError):
            page_url(f"https://{host}/docs.example/page")


def test_ports_tell_pages_apart_unless_they_are_the_default() -> None:
    """https on 443 is the page without a port; any other port, 0 too, is another page."""
    assert page_url("https://a.example:443/") == page_url("https://a.example:/") == "https://a.example/"
    assert page_url("https://a.example:0/") == "https://a.example:0/"


def test_a_reader_reply_is_the_page() -> None:
    """Title, text and date come from the reply; an unreadable date counts as undated."""
    body = {"data": {"title": "T", "content": "C", "publishedTime": "2025-04-02T00:00:00Z"}}
    page = read_page(reply(body), "https://a.example/")
    assert (page.title, page.text, page.published, page.altered_by) == ("T", "C", 1743552000, "")
    body["data"]["publishedTime"] = "Wed, 02 Apr 2025 00:00:00 GMT"
    assert read_page(reply(body), "https://a.example/").published == 1743552000
    for unreadable in ("yesterday", "0001-01-01T00:00:00+14:00", "Mon, 01 Jan 99999999999999999999 00:00:00 GMT"):
        body["data"]["publishedTime"] = unreadable
        assert read_page(reply(body), "https://a.example/").published is None


def test_a_recorded_refusal_is_told_and_another_shape_is_a_miss() -> None:
    """404 is a fact about the page; a reply that is no reader reply contains no page."""
    with pytest.raises(ToolError, match="answered 404"):
        read_page(reply({}, 404), "https://a.example/")
    for content in ({}, {"data": []}, {"data": {"title": 1, "content": "x"}}, []):
        with pytest.raises(Miss):
            read_page(reply(content), "https://a.example/")


def test_the_provider_knows_its_own_requests() -> None:
    """Only GET requests to the reader are its own, recorded as they are."""
    provider, request = ReaderProvider(), page_request("https://a.example/x")
    assert provider.match(request)
    recorded = Recorded(
        request, reply({"data": {"title": "x", "content": "y", "publishedTime": "2024-05-01T12:00:00Z"}})
    )
    assert provider.widen(request, 0) == (request,) and provider.follow(request, recorded.reply) is None
    assert provider.family(request) != provider.family(page_request("https://a.example/y"))
    assert provider.narrow([recorded], request, 1_714_564_800) is recorded.reply
    with pytest.raises(Miss, match="not out yet"):
        provider.narrow([recorded], request, 1_714_564_799)
    gone = Recorded(request, HttpReply(404, {}, b"{}"))
    assert provider.narrow([gone], request, 0) is gone.reply
    with pytest.raises(Miss, match=r"a\.example/x"):
        provider.narrow([], request, 0)
