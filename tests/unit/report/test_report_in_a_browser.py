"""The report in a real Chromium: every view, key, filter and link; hostile texts, long runs, readers who cannot see."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final
from urllib.parse import quote, unquote

import pytest

from caia_replay.report.html.report import write_report
from caia_replay.report.html.source import read_source
from caia_replay.report.talk import Step
from caia_replay.store.world_folder import open_world
from tests.chromium import Chromium
from tests.finished_run import finished_run
from tests.report_runs import HOSTILE, SIGN, page_of, played, priced, told

pytestmark = pytest.mark.check

AXE: Final = Path(__file__).resolve().parents[3] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
TASK: Final = "mini6-supply"
VIEWS: Final = ("#/", "#/charts", "#/tasks", f"#/task/0/{TASK}", f"#/run/0/attacked-tools/{TASK}/1")
READY: Final = "!document.querySelector('.loading') && document.querySelector('main h1') && 1"


@pytest.fixture(scope="session")
def runs(shipped: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three runs: two policies, and one as if a model had been paid."""
    place = tmp_path_factory.mktemp("report")
    made = [played(place / name, shipped, name) for name in ("credulous", "sceptic", "oracle")]
    return [*made[:2], priced(made[2], "some-model")]


@pytest.fixture(scope="session")
def report(runs: list[Path], shipped: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report on them."""
    out = tmp_path_factory.mktemp("html") / "report.html"
    write_report(runs, out, shipped)
    return out


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    """One Chromium for all of them."""
    made = Chromium(tmp_path_factory.mktemp("profile"))
    yield made
    made.close()


@pytest.fixture
def page(browser: Chromium, report: Path) -> Iterator[Chromium]:
    """The report's first screen; afterwards nothing was thrown, refused or asked of a network."""
    browser.faults.clear()
    browser.requests.clear()
    browser.look()
    browser.open(report.as_uri())
    yield browser
    assert browser.faults == []
    assert {one.split(":")[0] for one in browser.requests} <= {"file", "about"}


def shown(page: Chromium, where: str = "main") -> str:
    """The words of a part of the page."""
    return str(page.run(f"document.querySelector({where!r}).innerText"))


def saved(page: Chromium) -> tuple[list[str], list[str]]:
    """Every table and every picture that the page would save, as CSV and as SVG."""
    page.run("HTMLAnchorElement.prototype.click = function () { (window.saved ??= []).push(this.href) }; null")
    buttons = "document.querySelectorAll('.figure .tools button')"
    page.run(f"for (const one of {buttons}) if (one.innerText.startsWith('Save')) one.click()")
    made = [one.partition(",") for one in page.run("window.saved")]
    tables, pictures = ([unquote(data) for kind, _, data in made if word in kind] for word in ("text/csv", "image/svg"))
    return tables, pictures


def test_the_first_screen_answers(page: Chromium) -> None:
    """What was run, whether it counts, how right, how often fooled, at what cost, and where to look next."""
    words = shown(page)
    for said in (
        "3 models or scripts on mini-6",
        "calibration policy, not a model result",
        "Not comparable to published CAIA",
    ):
        assert said in words
    for said in ("right, clean", "fooled, attacked", "100.0 %", "none (a script)", "a run", "The lie believed most"):
        assert said in words
    page.run("document.querySelector('.looks a').click()")
    page.wait("document.querySelector('main').dataset.view === 'task' && " + READY)


def test_every_picture_has_its_table_and_its_files(page: Chromium) -> None:
    """Each is drawn as SVG with a name, has rows behind it, and is saved as CSV and as SVG by data alone."""
    page.go("#/charts/apart", READY)
    assert page.run("document.activeElement.id") == "figure-apart"
    tables, pictures = saved(page)
    having = "[...document.querySelectorAll('.figure')].filter((one) => one.querySelector('table'))"
    figures = page.run(f"{having}.map((one) => one.id)")
    assert {"figure-leaderboard", "figure-passes", "figure-cost", "figure-tools", "figure-arms"} <= set(figures)
    assert {"figure-adoption", "figure-lies", "figure-category", "figure-stops", "figure-losses"} <= set(figures)
    assert len(tables) == len(figures) and len(pictures) == page.run("document.querySelectorAll('.picture svg').length")
    assert all(list(csv.reader(io.StringIO(one)))[1:] for one in tables)
    assert all("<style>" in one and "aria-label" in one for one in pictures)
    assert "55.5 %" in shown(page, "#figure-tools .paper") and ">55.5" not in "".join(pictures)


def test_the_grid_goes_by_keys(page: Chromium) -> None:
    """A slash searches, arrows move, Enter opens the run, Escape leads back to the same cell and filter."""
    page.press("/")
    page.wait("document.activeElement?.id === 'search'")
    page.ask("Input.insertText", text="supply")
    page.wait("document.querySelectorAll('.grid tbody tr').length === 1")
    assert page.run("location.hash") == "#/tasks?q=supply"
    page.press("Enter")
    assert page.run("document.activeElement.dataset.at") == "0.0"
    page.press("ArrowRight")
    page.press("ArrowRight")
    assert page.run("document.activeElement.dataset.at") == "0.2"
    page.press("Enter")
    page.wait("location.hash.startsWith('#/run/') && " + READY)
    assert page.run("location.hash").endswith(f"-tools/{TASK}/1")
    page.press("Escape")
    page.wait("document.activeElement?.dataset.at === '0.2'")
    assert page.run("location.hash") == "#/tasks?q=supply"


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        pytest.param("", 6, id="all"),
        pytest.param("?only=fooled", 6, id="fooled"),
        pytest.param("?only=fooled&run=1", 0, id="unfooled"),
        pytest.param("?only=wrong&run=1&arm=clean", 3, id="wrong"),
        pytest.param("?category=tokenomics", 1, id="category"),
        pytest.param("?q=no+such+task", 0, id="nothing"),
        pytest.param("?only=missed", 0, id="missed"),
    ],
)
def test_filters_stand_in_the_address(page: Chromium, query: str, rows: int) -> None:
    """A link with filters shows the tasks they leave, and says how many."""
    page.go(f"#/tasks{query}", READY)
    page.wait(f"document.querySelectorAll('.grid tbody tr').length === {rows}")
    assert f"{rows} of 6 tasks" in shown(page)


def test_a_link_leads_to_a_step(page: Chromium) -> None:
    """Both arms stand side by side, part where the lie entered, and j goes on to the next step."""
    page.go(f"#/run/0/attacked-tools/{TASK}/1?step=2", READY)
    page.wait("document.querySelector('.step.here')")
    words = shown(page)
    for said in ("Here they part: step 2", "it believed a lie (edited-page", "the lie entered, by web_search"):
        assert said in words
    assert "no authoritative source answered after that" in words
    assert "planted: edited-page" in page.run("document.querySelector('.step.here').textContent")
    assert page.run("document.querySelectorAll('.side').length") == 2
    assert page.run("document.querySelectorAll('mark.lie').length") > 2
    page.press("j")
    page.wait("location.hash.includes('step=3')")
    page.go(f"#/run/0/attacked-tools/{TASK}/1?beside=none", READY)
    page.wait("document.querySelectorAll('.side').length === 1")


def test_views_use_the_same_words_and_order(page: Chromium) -> None:
    """A link of the overview fills the Arm box, folders stand in one order, lies are shares of who saw."""
    page.go("#/tasks?run=0&arm=attacked-tools", READY)
    assert page.run("[...document.querySelectorAll('.filters select')].map((one) => one.value)")[0] == "attacked"
    board = "[...document.querySelectorAll('.board tbody th a')].map((one) => one.innerText)"
    page.go("#/", READY)
    order = page.run(board)
    page.go("#/tasks", READY)
    boxes = page.run("[...document.querySelectorAll('.filters select')].map((one) => one.innerText.split('\\n'))")
    assert [one for one in boxes[1] if one != "all"] == order
    page.go(f"#/task/0/{TASK}", READY)
    rows = page.run("[...document.querySelectorAll('tbody th a')].map((one) => one.innerText)")
    assert list(dict.fromkeys(rows)) == order
    page.go("#/charts/lies", READY)
    assert "of the runs that saw it" in shown(page, "#figure-lies") and "own calculation" in shown(
        page, "#figure-tools"
    )


def test_a_wrong_run_without_a_lie_says_why(page: Chromium) -> None:
    """What came back empty, and from where, though nothing was planted."""
    page.go("#/run/1/clean-tools/mini6-base-fee-bound/1?beside=none", READY)
    page.wait("document.querySelectorAll('.side').length === 1")
    assert "no authoritative source answered" in shown(page, ".story")


def test_a_placebo_is_no_lie(browser: Chromium, shipped: Path, tmp_path: Path) -> None:
    """Its pages have a mark of their own, in the story as well."""
    run = played(tmp_path / "run", shipped, "credulous", arms=("placebo",))
    browser.open(page_of(tmp_path / "placebo.html", [read_source(run, shipped)]).as_uri())
    browser.go(f"#/run/0/placebo-tools/{TASK}/1", READY)
    assert "placebo pages came in" in shown(browser)
    assert browser.run("document.querySelectorAll('mark.lie').length") == 0
    assert browser.run("document.querySelectorAll('mark.placebo').length") > 0


def test_people_are_a_line_with_a_band(browser: Chromium, shipped: Path, tmp_path: Path) -> None:
    """Their line crosses the picture of Pass@1 with its interval, and they are called people and not models."""
    folder = open_world(str(shipped))
    said = [
        (task, 1, folder.task(task).answer.values[0] if at else "0") for at, task in enumerate(folder.suite.active())
    ]
    runs = [
        finished_run(tmp_path / name, shipped, said, model=name) for name in ("human/ana", "human/ben", "some-model")
    ]
    write_report(runs, tmp_path / "report.html", shipped)
    browser.open((tmp_path / "report.html").as_uri())
    words = shown(browser)
    assert "3 models or people on mini-6" in words and words.count("none (a person)") == 2
    assert "2 people (ana, ben), no model: 83.3 % right in 12 answers to 6 tasks (95 %: " in words
    browser.go("#/charts/leaderboard", "document.querySelector('#figure-leaderboard svg .people')")
    band, line = (
        browser.run(f"document.querySelectorAll('#figure-leaderboard {one}').length") for one in (".band", ".people")
    )
    assert (band, line) == (1, 1)
    assert "The dashed line: 2 people, 83.3 % right in 12 answers (clean)" in shown(browser, "#figure-leaderboard")
    assert browser.run("document.querySelectorAll('#figure-passes .people').length") == 0
    assert all(".band{fill:#5a6472;opacity:.16}" in picture for picture in saved(browser)[1])


@pytest.mark.parametrize(
    "place", ["#/run/9/clean-tools/x/1", "#/task/0/%E0%A4", "#/run/0/clean-tools/none/77", "#/else"]
)
def test_an_address_of_nothing_says_so(page: Chromium, place: str) -> None:
    """A wrong link shows a sentence, and no error."""
    page.go(place, "document.querySelector('.none')")


@pytest.mark.parametrize("dark", [pytest.param(False, id="light"), pytest.param(True, id="dark")])
@pytest.mark.parametrize("place", VIEWS, ids=["overview", "pictures", "grid", "task", "run"])
def test_an_accessibility_checker_finds_nothing_serious(page: Chromium, place: str, dark: bool) -> None:
    """axe-core, on every view in light and dark."""
    if not AXE.is_file():
        if os.environ.get("REQUIRE_CLIENTS") == "1":
            pytest.fail("axe-core is missing; next: npm ci in frontend/")
        pytest.skip("axe-core is missing")
    page.look(dark=dark)
    page.go(place, READY)
    page.run("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    page.run(AXE.read_text("utf-8") + "; null")
    found = page.run("axe.run().then((told) => told.violations.map((one) => [one.impact, one.id, one.nodes[0].html]))")
    assert [one for one in found if one[0] in ("serious", "critical")] == []


@pytest.mark.parametrize("place", VIEWS, ids=["overview", "pictures", "grid", "task", "run"])
def test_nothing_is_wider_than_a_telephone(page: Chromium, place: str) -> None:
    """At 390 points across, the page itself never scrolls sideways."""
    page.look(390, 800)
    page.go(place, READY)
    assert page.run("document.documentElement.scrollWidth") == 390


def test_the_policy_refuses_what_is_not_the_pages_own(page: Chromium) -> None:
    """A script, a handler, a style and a picture put into it do not run, and no address can be fetched."""
    for made in ("<img src=x: onerror=hit()>", "<style>main{display:none}</style>", "<a id=one onclick=hit()>x</a>"):
        page.run(
            f"document.body.insertAdjacentHTML('beforeend', {made!r}); window.hit = () => {{ window.was = 1 }}; null"
        )
    page.run("document.getElementById('one').click(); null")
    page.run(
        "const made = document.createElement('script'); made.textContent = 'hit()'; document.body.append(made); null"
    )
    assert page.run("fetch('https://example.invalid/').then(() => 'asked', () => 'refused')") == "refused"
    assert page.run("window.was ?? null") is None
    assert page.run("getComputedStyle(document.querySelector('main')).display") != "none"
    assert page.faults
    page.faults.clear()
    page.requests.clear()


ODD: Final = re.compile(
    "[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800\U000e0000-\U000e007f]"
)


@pytest.fixture(scope="session")
def hostile(runs: list[Path], shipped: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A report in which everything that somebody else may have named or written is one of these texts."""
    source = read_source(runs[0], shipped)
    ids, sources, texts = list(source.tasks), [], []
    for at in range(0, len(HOSTILE), len(ids)):
        says = {task: f"{text}{SIGN}" for task, text in zip(ids, HOSTILE[at:], strict=False)}
        texts += says.values()
        name = next(iter(says.values()))
        sources.append(told(source, says, model=name, name=name, path=name, agent=name, suite=name, notes=(name,)))
    return page_of(tmp_path_factory.mktemp("hostile") / "report.html", sources), texts


def test_at_least_sixty_hostile_texts() -> None:
    """The list is as long as was asked for, and no text stands in it twice."""
    assert len(set(HOSTILE)) == len(HOSTILE) >= 60


def test_hostile_texts_are_shown_and_never_run(browser: Chromium, hostile: tuple[Path, list[str]]) -> None:
    """In questions, answers, pages, names, ids and tables: text, with what cannot be seen shown as an escape."""
    path, texts = hostile
    browser.look()
    browser.faults.clear()
    browser.requests.clear()
    browser.open(path.as_uri())
    browser.run(
        "window.hit = () => { window.was = 1 }; window.allowed = [...document.querySelectorAll('script')]; null"
    )
    tags = "[...new Set([...document.querySelectorAll('main *')].map((one) => one.tagName.toLowerCase()))].sort()"
    plain = {
        "main",
        "script",
        "img",
        "iframe",
        "form",
        "style",
        "object",
        "base",
        "meta",
        "link",
        "template",
        "textarea",
        "math",
    }
    every = browser.run("document.querySelector('main').innerText")
    for place in ("#/charts", "#/tasks?arm=all"):
        browser.go(place, READY)
        every += browser.run("document.querySelector('main').textContent")
        assert not plain - {"form"} & set(browser.run(tags))
    for at, text in enumerate(texts):
        task = quote(re.sub("[\ud800-\udfff]", "\ufffd", text), "")
        browser.go(f"#/run/{at // 6}/attacked-tools/{task}/1", READY)
        assert not plain & set(browser.run(tags)), ascii(text)
        every += browser.run("document.querySelector('main').textContent")
    seen = every.replace(",", "")
    for text in texts:
        escaped = ODD.sub(lambda letter: f"\\u{{{ord(letter[0]):x}}}", text)
        escaped = re.sub("[\u3164\u115f]", lambda letter: f"\\u{{{ord(letter[0]):x}}}", escaped)
        assert escaped[:200].replace(",", "") in seen, ascii(text[:60])
    assert [ascii(every[found.start() - 40 : found.end() + 40]) for found in ODD.finditer(every)][:5] == []
    assert browser.run("window.was ?? null") is None
    assert browser.run("[...document.querySelectorAll('script')].every((one) => window.allowed.includes(one))")
    assert browser.faults == [] and {one.split(":")[0] for one in browser.requests} <= {"file", "about"}


def test_no_cell_of_a_csv_is_a_formula(browser: Chromium, hostile: tuple[Path, list[str]]) -> None:
    """What a spreadsheet would calculate begins with an apostrophe, in every table; figures stay figures."""
    path, _ = hostile
    browser.open(path.as_uri())
    browser.go("#/charts", READY)
    tables, _ = saved(browser)
    cells = [cell for table in tables for row in csv.reader(io.StringIO(table, newline="")) for cell in row]
    formulas = [cell for cell in cells if re.match(r"\s*[=+\-@|%]", cell) and not re.fullmatch(r"-?[0-9.e-]+", cell)]
    assert formulas == [] and any(cell.startswith("'=cmd") for cell in cells)
    browser.faults.clear()


def test_a_long_answer_and_a_long_run_are_drawn_in_parts(
    browser: Chromium, runs: list[Path], shipped: Path, tmp_path: Path
) -> None:
    """Of a megabyte the beginning stands there, of ten thousand steps two hundred; a link leads into the midst."""
    source = read_source(runs[0], shipped)
    answer = "".join(f"{number}; " for number in range(150_000))[:1_000_000]
    steps: tuple[Step, ...] = tuple(("model", at, f"turn {at}", "stop", ()) for at in range(1, 10_001))
    long = told(source, {}, {TASK: steps})
    cells = tuple(
        replace(
            cell, talks={task: tuple(replace(one, answer=answer) for one in own) for task, own in cell.talks.items()}
        )
        for cell in long.cells
    )
    browser.open(page_of(tmp_path / "long.html", [replace(long, cells=cells)]).as_uri())
    browser.go(f"#/run/0/attacked-tools/{TASK}/1?beside=none", READY)
    assert browser.run("document.querySelectorAll('.step').length") == 200
    assert browser.run("document.querySelector('.verdict').textContent.length") < 2_000
    browser.run("document.querySelector('.verdict .more').click()")
    browser.wait("document.querySelector('.verdict').textContent.length > 90_000")
    assert browser.run("document.querySelector('.verdict').textContent.length") < 102_000
    browser.go(f"#/run/0/attacked-tools/{TASK}/1?beside=none&step=7777", READY)
    browser.wait("document.querySelector('.step.here')")
    assert "turn 7777" in browser.run("document.querySelector('.step.here').textContent")
