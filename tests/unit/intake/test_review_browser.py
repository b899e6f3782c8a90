"""The review page in a real Chromium: keyboard alone, hostile text in every field; what is typed survives a kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from caia_replay.intake.ledger import Ledger
from caia_replay.intake.question import Question, add_questions
from caia_replay.intake.review import tally
from caia_replay.intake.rubric import read_rubric
from caia_replay.intake.standing import decide
from tests.chromium import Chromium

EVIL = (
    "</textarea></pre><script>fetch('/x')</script><img src='/x' onerror=alert(2)>\" autofocus onfocus='alert(3)' x=\""
)
ONE = Question("When was block 12 of the Mini chain made?", "1")
BAD = Question(EVIL, EVIL, EVIL, EVIL, EVIL, {EVIL: EVIL})
RULES = read_rubric(Path("/nowhere")).review
COMMAND = "from caia_replay.cli import main; main()"
SPACE = " "

pytestmark = pytest.mark.check


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Chromium]:
    """One browser."""
    made = Chromium(tmp_path / "profile")
    yield made
    made.close()


class Served:
    """``intake review`` in a process of its own, so that it can be killed."""

    def __init__(self, folder: Path, name: str, *more: str) -> None:
        words = [sys.executable, "-c", COMMAND, "intake", "review", str(folder), "--as", name, *more]
        self.process = subprocess.Popen(
            words, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}
        )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().split()[1].rstrip("/")

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An intake folder with a fair question and a hostile one, both kept."""
    add_questions(tmp_path / "in", [ONE, BAD])
    for one in (ONE, BAD):
        decide(Ledger(tmp_path / "in"), one.id, "keep", EVIL, "eve")
    return tmp_path / "in"


def focus(browser: Chromium, wanted: str) -> None:
    """Press Tab until the element that a selector names has the focus."""
    for _ in range(120):
        if browser.run(f"document.activeElement.matches({wanted!r})"):
            return
        browser.press("Tab")
    raise AssertionError(f"Tab never gets to {wanted}")


def write(browser: Chromium, text: str) -> None:
    """Type a text where the focus is."""
    browser.ask("Input.insertText", text=text)


def test_a_review_by_keyboard_alone(folder: Path, browser: Chromium) -> None:
    """From the list to a given review with Tab, Space, Enter and letters; nothing on the pages complains."""
    served = Served(folder, "ben")
    try:
        browser.open(f"{served.url}/")
        focus(browser, f'a[href="/q/{ONE.id}"]')
        browser.press("Enter")
        browser.wait(f"location.pathname === '/q/{ONE.id}' && document.documentElement?.dataset.ready")
        for criterion in RULES.criteria:
            focus(browser, f'[name="points-{criterion.id}"]')
            browser.press(SPACE)
            browser.press("ArrowRight")
        focus(browser, '[name="notes"]')
        write(browser, EVIL)
        focus(browser, '[name="has_conflict"]')
        browser.press(SPACE)
        focus(browser, 'button[value="review"]')
        browser.press("Enter")
        browser.wait("location.search === '?done=review' && document.documentElement?.dataset.ready")
        assert "Your review is kept." in browser.run("document.querySelector('[role=status]').textContent")
    finally:
        served.kill()
    (found,) = tally(Ledger(folder), ONE.id, ONE, RULES).counted
    assert (found.by, {*found.points.values()}, found.notes) == ("ben", {2}, EVIL)
    assert browser.faults == []


def test_hostile_text_does_nothing_in_a_browser(folder: Path, browser: Chromium) -> None:
    """The hostile question, its decision and its typed form are shown as text: no dialog, no request, no element."""
    served = Served(folder, "ben")
    try:
        browser.open(f"{served.url}/")
        browser.open(f"{served.url}/q/{BAD.id}")
        assert browser.run("document.querySelector('.question').textContent") == EVIL
        focus(browser, '[name="why"]')
        write(browser, EVIL)
        focus(browser, 'button[value="keep"]')
        browser.press("Enter")
        browser.wait("location.search === '?done=decided' && document.documentElement?.dataset.ready")
        assert browser.run("document.querySelectorAll('img, iframe, script:not([src=\"/page.js\"])').length") == 0
        assert browser.run("document.querySelector('[name=values]').value") == EVIL
        assert browser.run("document.querySelector('[name=why]').value") == EVIL
    finally:
        served.kill()
    assert browser.faults == []
    assert not [address for address in browser.requests if address.endswith("/x")]


def test_what_was_typed_survives_a_kill(folder: Path, browser: Chromium) -> None:
    """A sentence that ended is kept before the server is killed with -9, and stands on the page of the next server."""
    served = Served(folder, "ben")
    try:
        browser.open(f"{served.url}/q/{ONE.id}")
        focus(browser, '[name="notes"]')
        write(browser, "This is a whole sentence.")
        browser.wait("document.getElementById('kept').textContent === 'What you typed is kept.'")
    finally:
        served.kill()
    write(browser, " This is ")
    browser.wait("document.getElementById('kept').textContent.includes('NOT kept')")
    again = Served(folder, "ben")
    try:
        browser.open(f"{again.url}/q/{ONE.id}")
        assert browser.run("document.querySelector('[name=notes]').value") == "This is a whole sentence."
    finally:
        again.kill()


def test_another_page_cannot_reach_it(folder: Path, browser: Chromium, tmp_path: Path) -> None:
    """A page of another origin can neither read it, nor frame it, nor send it a form, however it tries."""
    served = Served(folder, "ben")
    try:
        (tmp_path / "evil.html").write_text(
            f"<html data-ready=1><form id=f method=post action='{served.url}/q/{ONE.id}'><input name=do value=drop>"
            f"<input name=why value=mine></form><iframe id=i src='{served.url}/q/{ONE.id}'></iframe>"
        )
        browser.open((tmp_path / "evil.html").as_uri())
        read = f"fetch('{served.url}/q/{ONE.id}').then((a) => a.text()).catch(() => 'refused')"
        assert browser.run(read) == "refused"
        options = "{method: 'POST', mode: 'no-cors', body: new URLSearchParams('do=drop&why=x')}"
        browser.run(f"fetch('{served.url}/q/{ONE.id}', {options}).then(() => 1).catch(() => 0)")
        browser.run("document.getElementById('f').submit()")
        browser.wait("location.href.startsWith('http')")
        browser.wait("document.body?.textContent.includes('no web page may ask here')")
    finally:
        served.kill()
    assert len(Ledger(folder).entries(ONE.id, "decision")) == 1
