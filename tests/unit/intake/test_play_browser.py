"""A person plays in a real Chromium: eighteen tasks in both arms, by keyboard alone, under hostile text and kills."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path

import pytest

from caia_replay.runner.draw import draw_tasks
from caia_replay.runner.plan import make_plan
from caia_replay.store.person_diary import read_events
from caia_replay.store.results import read_table
from caia_replay.store.world_folder import WorldFolder, open_world
from tests.chromium import Chromium

ROOT = Path(__file__).resolve().parents[3]
COMMAND = "from caia_replay.cli import main; main()"
EVIL = (
    "</textarea></pre><script>fetch('/x')</script><img src='/x' onerror=alert(2)>\" autofocus onfocus='alert(3)' x=\""
)
READY = "document.documentElement?.dataset.ready"
HEAD = "document.querySelector('h1')?.textContent"
ONE = ("--suite", "mini-6", "--task", "mini6-supply", "--arm", "clean")

pytestmark = pytest.mark.check


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Chromium]:
    """One browser."""
    made = Chromium(tmp_path / "profile")
    yield made
    made.close()


class Served:
    """``replay --model human/ana`` in a process of its own, so that it can be killed."""

    def __init__(self, out: Path, *more: str) -> None:
        words = [sys.executable, "-c", COMMAND, "replay", "--model", "human/ana", "--out", str(out), *more]
        self.process = subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )  # fmt: skip
        self.said = ""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said += line
            if found := re.match(r"open (http://127\.0\.0\.1:\d+)/ ", line):
                self.url = found[1]
                return
        raise AssertionError(self.said)

    def end(self) -> int:
        """Wait for it."""
        assert self.process.stdout is not None
        self.said += self.process.stdout.read()
        return self.process.wait()

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


def enter(browser: Chromium, served: Served) -> None:
    """Open the page and wait until something is asked."""
    browser.open(f"{served.url}/")
    browser.wait(f"{READY} && document.querySelector('form')")


def press(browser: Chromium, button: str) -> None:
    """Press a button and wait for the page that follows."""
    browser.run("window.old = true")
    browser.run(f"document.querySelector(`button[value={json.dumps(button)}]`).click()")
    browser.wait(f"!window.old && {READY}")


def fill(browser: Chromium, name: str, text: str) -> None:
    """Type a text into a field."""
    browser.run(f"document.querySelector(`[name={json.dumps(name)}]`).focus()")
    browser.ask("Input.insertText", text=text)


def focus(browser: Chromium, wanted: str) -> None:
    """Press Tab until the element that a selector names has the focus."""
    for _ in range(300):
        if browser.run(f"document.activeElement.matches({wanted!r})"):
            return
        browser.press("Tab")
    raise AssertionError(f"Tab never gets to {wanted}")


def answer_of(folder: WorldFolder, task: str) -> str:
    """What is right, as a person would write it."""
    spec = folder.task(task).answer
    unit = f" {spec.unit}" if spec.unit and spec.kind == "number" else ""
    if spec.kind == "table":
        return json.dumps([row.split(" | ") for row in spec.values])
    return "; ".join(spec.values) + unit


def test_eighteen_tasks_in_both_arms(browser: Chromium, tmp_path: Path) -> None:
    """A tenth of the shipped suite is played by the page alone; the folder holds what was done; the audit proves it."""
    folder = open_world(str(ROOT / "cassettes" / "synthetic-178"))
    drawn = draw_tasks(map(folder.task, folder.suite.active()), "tenth", 0)
    given_up = set(drawn[::5])
    served = Served(tmp_path / "run", "--suite", "synthetic-178", "--draw", "tenth", "--arm", "clean,attacked")
    asked: list[str] = []
    try:
        enter(browser, served)
        press(browser, "consent")
        while "Question" in browser.run(HEAD):
            text = browser.run("document.querySelector('.question').textContent")
            (task,) = {name for name in drawn if text.startswith(f"{folder.task(name).question}\n")}
            asked.append(task)
            browser.run(
                "[...document.querySelectorAll('summary')].find((a) => a.textContent.startsWith('web_search')).click()"
            )
            fill(browser, "arg web_search query", folder.task(task).question[:80])
            press(browser, "call web_search")
            if len(asked) % 3 == 0:
                browser.run("document.querySelector(`[name='arg block_query block']`).closest('details').open = true")
                press(browser, "call block_query")
            assert browser.run("document.querySelectorAll('h3').length") == 1 + (len(asked) % 3 == 0)
            if task not in given_up:
                fill(browser, "answer", answer_of(folder, task))
            press(browser, "none" if task in given_up else "answer")
        assert browser.run(HEAD) == "The end"
        assert served.end() == 0
    finally:
        served.kill()
    assert browser.faults == []
    assert sorted(asked[:18]) == sorted(asked[18:]) == sorted(drawn)
    assert "a person, not a model" in served.said
    for cell in ("clean-tools", "attacked-tools"):
        rows = read_table(tmp_path / "run" / cell / "results.parquet")
        assert {row["task"]: (row["correct"], row["stop"]) for row in rows} == {
            task: (False, "no_answer") if task in given_up else (True, "answered") for task in drawn
        }
    plan = make_plan(folder, tasks=drawn, model="human/ana", runs=1)
    assert asked == [task for task, _, _ in plan.in_order()]
    events = read_events(tmp_path / "run")
    clicked = [name for one in events if one["event"] == "clicks" for name, _ in one["clicks"]]
    answered = sum(task not in given_up for task in asked)
    assert answered - 1 <= clicked.count("button answer") <= answered  # nobody waits for the last one
    assert "summary call web_search" in clicked
    audit = [sys.executable, "-c", COMMAND, "audit", str(tmp_path / "run")]
    done = subprocess.run(audit, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("proven\nof a person"), done.stdout + done.stderr


def test_a_run_by_keyboard_alone(browser: Chromium, tmp_path: Path) -> None:
    """Consent, a tool opened, filled in and called, a reply read and an answer given, with Tab, Enter and letters."""
    served = Served(tmp_path / "run", *ONE)
    try:
        enter(browser, served)
        focus(browser, "button[value=consent]")
        browser.press("Enter")
        browser.wait(f"document.querySelector('.question') && {READY}")
        focus(browser, "details:has([name='arg block_query block']) summary")
        browser.press("Enter")
        focus(browser, "[name='arg block_query block']")
        browser.ask("Input.insertText", text="12")
        focus(browser, "button[value='call block_query']")
        browser.press("Enter")
        browser.wait(f"document.querySelector('h3') && {READY}")
        focus(browser, "pre")
        assert '"number": 12' in browser.run("document.activeElement.textContent")
        focus(browser, "[name=answer]")
        browser.ask("Input.insertText", text=EVIL)
        focus(browser, "button[value=answer]")
        browser.press("Enter")
        browser.wait(f"{HEAD} === 'The end'")
        assert served.end() == 0
    finally:
        served.kill()
    (row,) = read_table(tmp_path / "run" / "clean-tools" / "results.parquet")
    assert (row["answer"], row["calls"]) == (EVIL.strip("*_ "), 1)
    assert browser.faults == []


def test_hostile_text_and_a_kill_at_any_moment(browser: Chromium, tmp_path: Path) -> None:
    """Hostile text in every field is text; after kill -9 the next command shows the calls made and what was typed."""
    served = Served(tmp_path / "run", *ONE)
    try:
        enter(browser, served)
        press(browser, "consent")
        browser.run("document.querySelector(`details:has([name='arg web_search query']) summary`).click()")
        fill(browser, "arg web_search query", EVIL)
        press(browser, "call web_search")
        browser.run("for (const one of document.querySelectorAll('details')) one.open = true")
        for name in browser.run("[...document.querySelectorAll('textarea, input[type=text]')].map((one) => one.name)"):
            browser.run(f"document.querySelector(`[name={json.dumps(name)}]`).value = {json.dumps(EVIL)}")
        fill(browser, "answer", " A whole sentence.")
        browser.wait("document.getElementById('kept').textContent === 'What you typed is kept.'")
    finally:
        served.kill()
    fill(browser, "answer", " and half a")
    browser.wait("document.getElementById('kept').textContent.includes('NOT kept')")
    again = Served(tmp_path / "run", *ONE, "--resume")
    try:
        browser.faults.clear()
        enter(browser, again)
        assert browser.run("document.querySelectorAll('h3').length") == 1
        assert (
            EVIL in json.loads(browser.run("document.querySelector('h3').textContent").partition(" with ")[2])["query"]
        )
        assert browser.run("document.querySelector('[name=answer]').value") == f"{EVIL} A whole sentence."
        values = browser.run("[...document.querySelectorAll('textarea')].map((one) => one.value)")
        assert set(values) == {EVIL}
        assert browser.run("document.querySelectorAll('img, iframe, script:not([src=\"/page.js\"])').length") == 0
        press(browser, "answer")
        assert again.end() == 0
    finally:
        again.kill()
    assert browser.faults == []
    assert not [address for address in browser.requests if address.endswith("/x")]
    assert [one["did"] for one in read_events(tmp_path / "run") if one["event"] == "said"] == ["call", "answer"]


def test_another_page_cannot_reach_it(browser: Chromium, tmp_path: Path) -> None:
    """A page of another origin can neither read the page, nor frame it, nor send it a form, however it tries."""
    served = Served(tmp_path / "run", *ONE)
    try:
        enter(browser, served)
        press(browser, "consent")
        turn = browser.run("document.querySelector('[name=turn]').value")
        evil = tmp_path / "evil.html"
        evil.write_text(
            f"<html data-ready=1><form id=f method=post action='{served.url}/'><input name=do value=none>"
            f"<input name=turn value='{escape(turn)}'></form><iframe src='{served.url}/'></iframe>"
        )
        browser.open(evil.as_uri())
        assert browser.run(f"fetch('{served.url}/').then((a) => a.text()).catch(() => 'refused')") == "refused"
        options = "{method: 'POST', mode: 'no-cors', body: new URLSearchParams('do=none&turn=" + turn + "')}"
        browser.run(f"fetch('{served.url}/', {options}).then(() => 1).catch(() => 0)")
        browser.run("document.getElementById('f').submit()")
        browser.wait("document.body?.textContent.includes('no web page may ask here')")
        enter(browser, served)
        assert browser.run("document.querySelector('[name=turn]').value") == turn
    finally:
        served.kill()
    assert not [one for one in read_events(tmp_path / "run.partial") if one["event"] == "said"]
