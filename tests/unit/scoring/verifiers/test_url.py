"""Web addresses."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.verifiers import verify
from tests.labelled_set import misjudged

VALUE = "https://www.Example.org/Docs/a?x=1&y=2"
SPEC, TWO = AnswerSpec("url", (VALUE,)), AnswerSpec("url", (VALUE,), aliases=("https://b.org/x",))
words = st.text(alphabet="abcdefghijklmnopqrstuvwxyz0123456789", min_size=1, max_size=8)
pages = st.builds(lambda host, path, number: f"{host}.org/{path}/p{number}", words, words, st.integers(0, 999))


@given(pages)
def test_every_writing_of_an_address_is_that_page(page: str) -> None:
    """Scheme, host case, www, closing slash, default port, fragment, tracking, markdown and prose do not matter."""
    host, _, path = page.partition("/")
    spec = AnswerSpec("url", (f"https://{page}",))
    assert misjudged(spec, True, (
        f"http://{page}/", page, f"HTTPS://WWW.{host.upper()}:443/{path}?utm_source=chat&ref=x#top",
        f"[the page](https://{page})", f"It is at <https://{page}>.", f"**https://{page}**", f"网址是 https://{page}。",
    )) == []  # fmt: skip


@given(
    *(pages, pages, st.sampled_from([" or ", ", ", " and ", "\n"])),
    st.sampled_from(["[{}]({})", "[{}](<{}>)", "[{}] ({})", "[**{}**]({})"]),
)
def test_another_page_never_passes(page: str, other: str, between: str, link: str) -> None:
    """Another page is wrong alone, a hedge beside the right one, and so is a link that says one and leads elsewhere."""
    true, planted = f"https://{page}", f"https://{other}"
    spec = AnswerSpec("url", (true,))
    links = (link.format(true, planted), link.format(planted, true))
    assert misjudged(spec, true == planted, (planted, f"{true}{between}{planted}", *links)) == []
    assert verify(spec, link.format(true, true)).correct is True


def test_equal_pages() -> None:
    """The order of parameters, needless escapes and a rejected address do not matter; an alias is the same answer."""
    assert misjudged(SPEC, True, (
        "http://example.org/Docs/a/?y=2&x=1", "https://example.org/%44ocs/a?x=1&y=2",
        "not https://b.org but https://www.Example.org/Docs/a?x=1&y=2",
    )) == []  # fmt: skip
    assert misjudged(TWO, True, ("https://b.org/x", f"{VALUE} (https://b.org/x)")) == []


def test_look_alikes_are_other_pages() -> None:
    """Other hosts, ports, logins, paths, routes and link targets; whatever a target is, its text is not that page."""
    assert misjudged(SPEC, False, (
        "https://example.org/docs/a?x=1&y=2", "https://example.org/Docs/a?x=1",
        "https://sub.example.org/Docs/a?x=1&y=2", "https://ex\u0430mple.org/Docs/a?x=1&y=2",
        "https://example.org@evil.com/Docs/a?x=1&y=2", "https://evil.com@example.org/Docs/a?x=1&y=2", "http://[::1",
        "http://", "https://example.org:8080/Docs/a?x=1&y=2", "https://example.org/Docs/a?x=1&y=2#/swap",
        "https://example.org.evil.com/Docs/a?x=1&y=2", "on the documentation site",
        r"https://example.org\@evil.com/Docs/a?x=1&y=2", "https://example.org/Docs%2Fa?x=1&y=2",
        "[https://evil.com](" + VALUE + ")", "not " + VALUE, VALUE + " or example.com",
    )) == []  # fmt: skip
    targets = ("/fees", "mailto:a@b.org", "ftp://b.org/x", "ipfs://bafy", "//b.org/x", "http://93.184.216.34/x")
    assert misjudged(SPEC, False, (f"[{VALUE}]({target})" for target in targets)) == []
