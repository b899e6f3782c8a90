import httpx2
import pytest

from caia_replay.errors import BadInput
from caia_replay.recording.challenge import asks_json, declares_challenge, refuse_challenge

HTML = {"content-type": "text/html"}
PAGE = "<!doctype html><html><head><title>{}</title></head><body>x</body></html>"


def _asked(accept=None, body=b""):
    return httpx2.Request("POST", "https://h.example/a?apikey=hush", headers={"accept": accept or "*/*"}, content=body)


@pytest.mark.parametrize(
    ("accept", "body", "expected"),
    [
        ("application/json", b"", True),
        ("application/vnd.api+json; charset=utf-8", b"", True),
        ("text/html, application/json", b"", False),
        ("*/*", b"", False),
        ("*/*", b'{"q": 1}', True),
        ("*/*", b"q=1", False),
        ("*/*", b"12", False),
    ],
)
def test_what_asks_for_json(accept, body, expected):
    """An Accept that names JSON and not HTML, or a body that is JSON."""
    assert asks_json(_asked(accept, body)) is expected


@pytest.mark.parametrize("status", [200, 202, 403])
def test_html_for_json_is_refused_only_as_html(status):
    """The text must look like markup, whatever its type; the line names the host and not the query."""
    for headers, body in ((HTML, PAGE), ({}, "\n <HTML>"), (HTML, "\ufeff<!DOCTYPE html>"), (HTML, "<?xml version")):
        with pytest.raises(
            BadInput, match=r"h\.example answers with a page of HTML where JSON was asked for"
        ) as caught:
            refuse_challenge(
                _asked("application/json"), httpx2.Response(status, headers=headers, content=body.encode())
            )
        assert "hush" not in str(caught.value)
    for headers, body in ((HTML, '{"a": 1}'), ({"content-type": "application/json"}, PAGE), (HTML, "")):
        refuse_challenge(_asked("application/json"), httpx2.Response(status, headers=headers, content=body.encode()))


@pytest.mark.parametrize("status", [400, 401, 402, 404, 410, 429, 500, 502, 503])
def test_an_error_page_is_what_an_api_says(status):
    """Unless it declares itself."""
    refuse_challenge(_asked("application/json"), httpx2.Response(status, headers=HTML, text=PAGE.format("Error")))
    with pytest.raises(BadInput, match="a challenge page"):
        refuse_challenge(_asked(), httpx2.Response(status, headers={"CF-Mitigated": "Challenge"}, text="x"))


@pytest.mark.parametrize(
    "title",
    ["Just a moment...", "just a moment", "Just a moment…", " Checking your browser before accessing h.example. ",
     "Attention Required! | Cloudflare", "DDoS-Guard", "Vercel Security Checkpoint", "Pardon Our Interruption...",
     "Access denied | h.example used Cloudflare to restrict access"],
)  # fmt: skip
def test_known_titles_declare_a_challenge(title):
    """Whole titles alone: an article about one of them is an article."""
    assert declares_challenge(httpx2.Response(200, headers=HTML, text=PAGE.format(title)))
    assert not declares_challenge(httpx2.Response(200, headers=HTML, text=PAGE.format(f"How to pass '{title}'")))
    assert not declares_challenge(httpx2.Response(200, headers={"content-type": "text/plain"}, text=PAGE.format(title)))
