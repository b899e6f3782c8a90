"""The review page over real HTTP: what a reviewer does on it, hostile text, and who may not ask."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.intake.html import Html, tag
from caia_replay.intake.ledger import Ledger
from caia_replay.intake.question import Question, add_questions
from caia_replay.intake.review import tally
from caia_replay.intake.review_server import ReviewServer
from caia_replay.intake.rubric import read_rubric
from caia_replay.intake.standing import decide, standing_of
from caia_replay.intake.trial import Trial, draft_of
from caia_replay.loopback import LoopbackServer
from caia_replay.store.world_folder import open_world

EVIL = (
    "</textarea></pre><script>alert(1)</script><img src=x onerror=alert(2)>\" onfocus='alert(3)' {{7*7}} \u202e&lt;b>"
)
ONE = Question("When was block 12 of the Mini chain made?", "1", author="ana")
BAD = Question(EVIL, EVIL, EVIL, EVIL, EVIL, {EVIL: EVIL})
RULES = read_rubric(Path("/nowhere")).review
POINTS = {f"points-{one.id}": "4" for one in RULES.criteria}
DRAFT = {"kind": "number", "steps": 'block_query {"block": 12}', "result": "$1.number", "chain": "mini", "block": "30"}


class Seen(HTMLParser):
    """The elements of a page, with their attributes, and the text between them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


class Browser:
    """A client that sends what a browser sends with the forms of a page."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.client = httpx2.Client(base_url=url, trust_env=False, timeout=60)

    def get(self, path: str, **headers: str) -> httpx2.Response:
        return self.client.get(path, headers=headers)

    def post(self, question: str, do: str, **fields: str) -> httpx2.Response:
        origin = {"origin": self.url, "sec-fetch-site": "same-origin"}
        return self.client.post(f"/q/{question}", data={"do": do, **fields}, headers=origin, follow_redirects=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An intake folder whose two questions were kept by a person."""
    add_questions(tmp_path / "in", [ONE, BAD])
    for question in (ONE, BAD):
        decide(Ledger(tmp_path / "in"), question.id, "keep", "Fine.", EVIL[:60].replace("\u202e", ""))
    return tmp_path / "in"


@pytest.fixture
def browser(folder: Path, shipped: Path) -> Iterator[Browser]:
    """The page of a reviewer, ben, with the shipped world to try calls in."""
    world = open_world(str(shipped))
    trial = Trial(world, world.task("mini6-supply"))
    with trial, LoopbackServer(ReviewServer(folder, "ben", trial)) as server:
        yield Browser(server.url)


def test_a_review_is_given_by_the_page(browser: Browser, folder: Path) -> None:
    """What is missing is told and what was typed stays; then the review is in the ledger, and others' are shown."""
    page = browser.post(ONE.id, "review", **{**POINTS, "notes": "so\n\nit is"})
    assert page.status_code == 422 and "conflict of interest" in page.text and "so\n\nit is</textarea>" in page.text
    page = browser.post(ONE.id, "review", **{**POINTS, "points-clear": "9"}, has_conflict="no", conflict="")
    assert page.status_code == 422 and "clear: give 1 to 5 points" in page.text
    assert "The reviews of others are shown when you have given yours." in page.text
    page = browser.post(ONE.id, "review", **POINTS, notes="so\n\nit is", has_conflict="no", conflict="")
    assert page.status_code == 200 and "Your review is kept." in page.text and "does not count" in page.text
    (found,) = tally(Ledger(folder), ONE.id, ONE, RULES).reviews
    assert (found.by, found.score, found.notes, found.aside) == ("ben", 4, "so\n\nit is", "")
    assert "Reviewed by you (1)" in browser.get("/").text and not list(folder.glob(".drafts/*/*"))


def test_calls_and_chains_are_tried(browser: Browser, folder: Path) -> None:
    """A call is answered as the command line answers it, a chain gives its answer, and a draft is saved as typed."""
    page = browser.post(ONE.id, "call", tool="block_query", arguments='{"block": 12}')
    shown = json.loads(re.search(r"<pre[^>]*>(.*?)</pre>", page.text, re.DOTALL)[1].replace("&quot;", '"'))  # type: ignore[index]
    assert (shown["served"], shown["result"]["number"]) == ("FORK", 12)
    page = browser.post(ONE.id, "play", values="12", **DRAFT)
    assert "The calls give: 12\nThe draft says: 12" in page.text
    page = browser.post(ONE.id, "play", values="12", **{**DRAFT, "block": "999999"})
    assert page.status_code == 200 and "is not recorded" in page.text
    page = browser.post(ONE.id, "try", values="12", **DRAFT)
    assert re.search(r"policy/searcher: 0 of 3 right, .*\npolicy/explorer: \d+ calls, \d+ without", page.text)
    page = browser.post(ONE.id, "gold", values="12", **DRAFT)
    assert "The draft is saved." in page.text
    draft = draft_of(Ledger(folder), ONE.id)
    assert draft is not None and (draft.answer.values, draft.block, draft.gold.result) == (("12",), 30, "$1.number")
    for fields, told in (
        ({"tool": "rm", "arguments": "{}"}, "no tool"),
        ({"tool": "block_query", "arguments": "{"}, "are not JSON"),
    ):
        page = browser.post(ONE.id, "call", **fields)
        assert page.status_code == 422 and told in page.text
    for change, told in (({"steps": "block_query {"}, "not JSON"), ({"block": "x"}, "no block height")):
        page = browser.post(ONE.id, "gold", values="12", **{**DRAFT, **change})
        assert page.status_code == 422 and told in page.text


def test_an_edit_of_the_draft_is_not_lost_in_a_review(browser: Browser, folder: Path) -> None:
    """A review is about the saved draft: with another in the form it is refused until that is saved or taken back."""
    stated = {**POINTS, "has_conflict": "no", "conflict": "", "notes": ""}
    page = browser.get(f"/q/{ONE.id}")
    assert "Nobody has saved a draft answer yet" in page.text
    block = re.search(r'name="block" value="(\d+)"', page.text)[1]  # type: ignore[index]
    shown = {"values": "1", "kind": "number", "unit": "", "steps": "", "result": "", "chain": "mini", "block": block}
    page = browser.post(ONE.id, "review", **stated, **{**shown, "values": "2"})
    assert page.status_code == 422 and "is not the one that is saved" in page.text and ">\n2</textarea>" in page.text
    page = browser.post(ONE.id, "back", **stated, **{**shown, "values": "2"})
    assert "This is the saved draft again." in page.text and ">\n1</textarea>" in page.text
    assert "Your review is kept." in browser.post(ONE.id, "review", **stated, **shown).text
    assert "The draft is saved." in browser.post(ONE.id, "gold", values="12", **DRAFT).text
    page = browser.get(f"/q/{ONE.id}").text
    assert "Saved by ben." in page and "Nobody has saved" not in page
    page = browser.post(ONE.id, "review", **stated, values="12", **{**DRAFT, "block": "29"})
    assert page.status_code == 422 and not tally(Ledger(folder), ONE.id, ONE, RULES).counted
    assert "Your review is kept." in browser.post(ONE.id, "review", **stated, values="12", **DRAFT).text
    assert tally(Ledger(folder), ONE.id, ONE, RULES).counted


def test_a_person_decides_on_the_page(browser: Browser, folder: Path) -> None:
    """A question is dropped with a reason, is listed with it, and comes back."""
    assert browser.post(ONE.id, "drop", why="").status_code == 422
    assert "Decided." in browser.post(ONE.id, "drop", why="Dull.").text
    assert standing_of(Ledger(folder), ONE.id).outcome == "drop"
    assert "Dropped (1)" in browser.get("/").text and "ben: Dull." in browser.get(f"/q/{ONE.id}").text
    assert "Not screened" in browser.post(ONE.id, "undo", why="Not so dull.").text


def test_what_is_typed_is_kept(browser: Browser, folder: Path, shipped: Path) -> None:
    """What the page's script sends, and any button, is there again after the server was killed; fields of ours only."""
    typed = {"notes": "half a sent", "points-clear": "2", "evil": "x"}
    assert browser.client.put(f"/q/{ONE.id}/draft", json=typed).status_code == 204
    with LoopbackServer(ReviewServer(folder, "ben")) as server:
        page = Browser(server.url).get(f"/q/{ONE.id}").text
    assert "half a sent</textarea>" in page and "evil" not in page
    assert re.search(r'name="points-clear" value="2" checked', page)
    with LoopbackServer(ReviewServer(folder, "cid")) as server:
        assert "half a sent" not in Browser(server.url).get(f"/q/{ONE.id}").text


def test_hostile_text_stays_text(browser: Browser) -> None:
    """Markup in every field of a question, in what is typed and in a decision adds no element and no attribute."""
    plain, evil = (Seen(browser.get(f"/q/{one.id}").text) for one in (ONE, BAD))
    assert EVIL.replace("\u202e", "") in evil.text.replace("\u202e", "")
    for page in (evil, Seen(browser.get("/").text), Seen(browser.post(BAD.id, "review", notes=EVIL, why=EVIL).text)):
        kinds = {name for name, _ in page.elements}
        assert kinds <= {name for name, _ in plain.elements} | {"section", "table", "tr", "td", "th"}
        scripts = [attributes for name, attributes in page.elements if name == "script"]
        assert scripts == [{"src": "/page.js", "defer": None}]
        assert not any(key.startswith("on") for _, attributes in page.elements for key in attributes)


def test_a_page_may_do_nothing_but_its_own(browser: Browser) -> None:
    """Every answer, a fault too, forbids what is not the server's own, framing, caching and guessing of types."""
    for path in ("/", f"/q/{BAD.id}", "/page.js", "/page.css", "/none", "/q/q-0000000000000000"):
        headers = browser.get(path).headers
        policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
        assert policy["default-src"] == policy["frame-ancestors"] == "'none'" and policy["script-src"] == "'self'"
        assert (headers["x-content-type-options"], headers["cache-control"]) == ("nosniff", "no-store")
        assert "unsafe" not in headers["content-security-policy"]


FORM = "application/x-www-form-urlencoded"
STRANGERS: dict[str, tuple[str, dict[str, str], int]] = {
    "rebound": ("GET", {"host": "evil.example"}, 421),
    "rebound-port": (
        "POST",
        {"host": "evil.example:80", "origin": "http://evil.example:80", "content-type": FORM},
        421,
    ),
    "other-site": ("GET", {"sec-fetch-site": "cross-site"}, 403),
    "same-site": ("GET", {"sec-fetch-site": "same-site"}, 403),
    "other-origin": ("POST", {"origin": "http://evil.example", "content-type": FORM}, 403),
    "other-port": ("POST", {"origin": "http://127.0.0.1:1", "content-type": FORM}, 403),
    "null-origin": ("POST", {"origin": "null", "content-type": FORM}, 403),
    "no-origin": ("POST", {"content-type": FORM}, 415),
    "plain-text": ("POST", {"content-type": "text/plain"}, 415),
    "no-type": ("POST", {}, 405),
    "json": ("POST", {"content-type": "application/json"}, 405),
}


@pytest.mark.parametrize("name", STRANGERS)
def test_strangers_neither_read_nor_write(name: str, browser: Browser, folder: Path) -> None:
    """Another host name, site, origin or port, and a form of nowhere, get no question and leave no trace."""
    method, headers, status = STRANGERS[name]
    body = b"do=drop&why=mine" if method == "POST" else b""
    answer = browser.client.request(method, f"/q/{ONE.id}", content=body, headers=headers)
    assert answer.status_code == status and ONE.question not in answer.text
    assert status != 415 or f"send it with the header Origin: {browser.url}" in answer.text
    assert standing_of(Ledger(folder), ONE.id).outcome == "keep" and not list(folder.glob(".drafts/*/*"))


def test_reviewers_at_once_lose_nothing(folder: Path) -> None:
    """Six reviewers with servers of their own review both questions at the same time; every review is in the ledger."""

    def work(by: str) -> None:
        with LoopbackServer(ReviewServer(folder, by)) as server:
            for question in (ONE, BAD):
                given = {**POINTS, "notes": by, "has_conflict": "no", "conflict": ""}
                assert Browser(server.url).post(question.id, "review", **given).status_code == 200

    names = [f"reviewer-{at}" for at in range(6)]
    threads = [threading.Thread(target=work, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for question in (ONE, BAD):
        found = tally(Ledger(folder), question.id, question, RULES)
        assert [one.by for one in found.counted] == names and found.outcome == "passed"


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("Cc",)), max_size=60)


@given(TEXT, TEXT)
def test_markup_comes_from_tags_alone(text: str, value: str) -> None:
    """Whatever a text or an attribute holds, a parser reads one element with that very attribute and text."""
    made = tag("p", text, title=value)
    page = Seen(made)
    assert isinstance(made, Html) and [name for name, _ in page.elements] == ["p"]
    assert page.elements[0][1] == {"title": value} and page.text == text
