"""Web addresses."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.task import AnswerSpec
from caia_replay.errors import BadInput
from caia_replay.scoring.verifiers.url import UrlVerifier

VALUE = "https://www.Example.org/Docs/a?x=1&y=2"
words = st.text(alphabet="abcdefghijklmnopqrstuvwxyz0123456789", min_size=1, max_size=8)
pages = st.builds(lambda host, path, number: (f"{host}.org", f"/{path}/p{number}"), words, words, st.integers(0, 999))


def right(answer: str, value: str = VALUE, aliases: tuple[str, ...] = ()) -> bool | None:
    """The verdict alone."""
    return UrlVerifier().verify(AnswerSpec("url", (value,), aliases=aliases), answer).correct


@settings(max_examples=80)
@given(pages)
def test_every_writing_of_an_address_is_that_page(page: tuple[str, str]) -> None:
    """Scheme, host case, www, closing slash, default port, fragment, tracking, markdown and prose do not matter."""
    host, path = page
    for answer in (
        f"http://{host}{path}/",
        f"{host}{path}",
        f"HTTPS://WWW.{host.upper()}:443{path}?utm_source=chat&ref=x#top",
        f"[the page](https://{host}{path})",
        f"It is at <https://{host}{path}>.",
        f"**https://{host}{path}**",
        f"网址是 https://{host}{path}。",
    ):
        assert right(answer, f"https://{host}{path}") is True, answer


@settings(max_examples=80)
@given(pages, pages, st.sampled_from([" or ", ", ", " and ", "\n"]))
def test_another_page_never_passes(page: tuple[str, str], other: tuple[str, str], between: str) -> None:
    """Another page is wrong alone and a hedge beside the right one."""
    true, planted = "https://" + "".join(page), "https://" + "".join(other)
    assert right(planted, true) is (true == planted)
    assert right(f"{true}{between}{planted}", true) is (true == planted)


@pytest.mark.parametrize(
    "answer",
    ["http://example.org/Docs/a/?y=2&x=1", "https://example.org/%44ocs/a?x=1&y=2", "not https://b.org but " + VALUE],
)
def test_equal_pages(answer: str) -> None:
    """The order of parameters, needless escapes and a rejected address do not matter."""
    assert right(answer) is True


@pytest.mark.parametrize(
    "answer",
    [
        *(
            "https://example.org/docs/a?x=1&y=2",
            "https://example.org/Docs/a?x=1",
            "https://sub.example.org/Docs/a?x=1&y=2",
        ),
        *(
            "https://ex\u0430mple.org/Docs/a?x=1&y=2",
            "https://example.org@evil.com/Docs/a?x=1&y=2",
            "https://evil.com@example.org/Docs/a?x=1&y=2",
            "http://[::1",
            "http://",
        ),
        *(
            "https://example.org:8080/Docs/a?x=1&y=2",
            "https://example.org/Docs/a?x=1&y=2#/swap",
            "https://example.org.evil.com/Docs/a?x=1&y=2",
        ),
        *("[https://evil.com](" + VALUE + ")", "not " + VALUE, "on the documentation site", VALUE + " or example.com"),
        *("https://example.org\\@evil.com/Docs/a?x=1&y=2", "https://example.org/Docs%2Fa?x=1&y=2"),
    ],
)
def test_look_alikes_are_other_pages(answer: str) -> None:
    """Other hosts, ports, logins, paths, routes and link targets."""
    assert right(answer) is False


def test_an_alias_is_the_same_answer() -> None:
    """Both addresses of one page have one reading."""
    assert right("https://b.org/x", aliases=("https://b.org/x",)) is True
    assert right(f"{VALUE} (https://b.org/x)", aliases=("https://b.org/x",)) is True


@pytest.mark.parametrize("value", ["no address", "https://a.org https://b.org", "see https://a.org"])
def test_a_value_that_is_no_address_is_bad_input(value: str) -> None:
    """One address and nothing else."""
    with pytest.raises(BadInput):
        right("x", value)


@settings(max_examples=80)
@given(pages, pages, st.sampled_from(["[{}]({})", "[{}](<{}>)", "[{}] ({})", "[**{}**]({})"]))
def test_a_link_that_says_one_page_and_leads_to_another_is_a_hedge(
    page: tuple[str, str], other: tuple[str, str], form: str
) -> None:
    """Text and target have to be the same page."""
    true, planted = "https://" + "".join(page), "https://" + "".join(other)
    for text, target in ((true, planted), (planted, true), (true, true)):
        assert right(form.format(text, target), true) is (text == target)


@pytest.mark.parametrize(
    "target", ["/fees", "mailto:a@b.org", "ftp://b.org/x", "ipfs://bafy", "//b.org/x", "http://93.184.216.34/x"]
)
def test_a_target_that_is_no_address_is_another_one(target: str) -> None:
    """Whatever it is, it is not the page its text says."""
    assert right(f"[{VALUE}]({target})") is False
