"""Published questions asked of their origins again: the published world, or each difference named."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from caia_replay.canonical import digest_bytes
from caia_replay.errors import BadInput
from caia_replay.recording.answer_change import changed_answer, compare, same_answer
from caia_replay.recording.ask_again import AskAgain, Asking, RepeatedRequest, Silent, question_of, questions_of
from caia_replay.recording.publish import publish
from caia_replay.recording.published_file import FORM, PublishedAnswer
from caia_replay.recording.redactions import Words
from caia_replay.recording.rehydrate import Rehydration, rehydrate
from caia_replay.store.world_folder import open_world, seal_world
from tests.published_world import (
    OWN,
    PAGE,
    QUESTION,
    as_replies,
    page,
    posts,
    search,
    serving,
    small_world,
    unchanged,
)

ALPHA = page("alpha", "Alpha opened in 2019.")
BUSY = {"status": 429, "headers": {"Retry-After": "1"}, "body": b"later"}


class Told:
    """A living origin and what is asked of it; ``asking`` leads there without waiting."""

    def __init__(self, host_map: dict[str, str], asked: list[Any], answers: dict[str, Any]) -> None:
        self.asked, self.answers = asked, answers
        self.waited: list[float] = []
        self.asking = Asking(host_map=host_map, wait=self.waited.append)

    @property
    def urls(self) -> list[str]:
        return [url for _, url, _ in self.asked]


@pytest.fixture
def told() -> Iterator[Told]:
    """The small world's origin."""
    answers = unchanged()
    with serving(answers) as (host_map, asked):
        yield Told(host_map, asked, answers)


def question(*items: Any) -> RepeatedRequest:
    return RepeatedRequest(items[0], tuple(item.status for item in items))


def test_a_question_is_asked_once_for_all_cassettes() -> None:
    """As often as the cassette with most answers needs; another class of key is another question."""
    bad = replace(posts(), request_headers={"authorization": ("SCRUBBED-BAD",)}, status=401)
    first, second = page("seq", "first"), page("seq", "second")
    found = questions_of([[ALPHA, posts()], [first, second, bad], [first, ALPHA]])
    assert [(each.item.uri, each.times) for each in found] == [
        (ALPHA.uri, 1), (posts().uri, 1), (first.uri, 2), (posts().uri, 1)
    ]  # fmt: skip
    assert len({each.name for each in found}) == 4 and question_of(bad)[0] == question_of(posts())[0]


def test_what_was_answered_is_kept(told: Told, tmp_path: Path) -> None:
    """A second run of the same owner asks nothing, but for half a file; another owner's begins anew, none at once."""
    asked = question(page("seq", "first"), page("seq", "second"))
    counts = []
    for owner in ("a", "a", "b", "b"):
        with AskAgain(tmp_path / "j", owner, told.asking) as origin:
            bodies = [item.body for item in origin.answers(asked)]
            assert bodies == [b"first", b"second"] if owner == "a" else bodies == [b"second"]
            counts.append((origin.kept, origin.asked, len(told.asked)))
            with pytest.raises(BadInput, match="another run"):
                AskAgain(tmp_path / "j", owner, told.asking).__enter__()
            if len(counts) == 3:
                path = next((tmp_path / "j" / "answers").rglob("*.json"))
                path.write_bytes(path.read_bytes()[:50])
            elif len(counts) == 4:
                origin.discard()
    assert counts == [(0, 1, 2), (1, 0, 2), (0, 1, 4), (0, 1, 6)] and not (tmp_path / "j").exists()


def test_who_says_later_is_asked_later(told: Told, tmp_path: Path) -> None:
    """And what he said before is kept, in order, where that was published."""
    told.answers[ALPHA.uri] = [BUSY, *as_replies(ALPHA)]
    with AskAgain(tmp_path / "a", "a", told.asking) as origin:
        assert [item.status for item in origin.answers(question(ALPHA))] == [200]
    told.answers[ALPHA.uri] = [BUSY, *as_replies(ALPHA)]
    with AskAgain(tmp_path / "b", "a", told.asking) as origin:
        asked = question(replace(ALPHA, status=429), ALPHA)
        assert asked.times == 1 and [item.status for item in origin.answers(asked)] == [429, 200]
    assert told.waited == [1.0, 1.0]


@pytest.mark.parametrize("status", [401, 402, 403])
def test_a_refused_key_is_asked_again(told: Told, tmp_path: Path, status: int) -> None:
    """It is this run's answer and not the next one's, unless that is what was published."""
    told.answers[ALPHA.uri] = [{"status": status, "body": b"pay"}]
    for _ in range(2):
        with AskAgain(tmp_path / "j", "a", told.asking) as origin:
            assert origin.answers(question(ALPHA))[0].status == status
    assert len(told.asked) == 2
    for _ in range(2):
        with AskAgain(tmp_path / "j", "a", told.asking) as origin:
            origin.answers(question(replace(ALPHA, status=status)))
    assert len(told.asked) == 3


@pytest.mark.parametrize(
    "reply",
    [{"hang_up": True}, {"status": 502, "body": b"bad gateway"}, {"status": 503, "headers": {"Retry-After": "9999"}}],
)
def test_a_silent_host_is_left_alone(told: Told, tmp_path: Path, reply: dict[str, Any]) -> None:
    """What may pass is no answer, and after three such questions the host is asked no more in this run."""
    for number in range(5):
        told.answers[f"{PAGE}{number}"] = [reply]
    with AskAgain(tmp_path / "j", "a", told.asking) as origin:
        for number in range(4):
            with pytest.raises(Silent) as caught:
                origin.answers(question(page(str(number), "x")))
        assert "3 times in a row" in str(caught.value) and f"{PAGE}3" not in told.urls
    told.answers[f"{PAGE}3"] = as_replies(page("3", "x"))
    with AskAgain(tmp_path / "j", "a", told.asking) as origin:
        assert origin.answers(question(page("3", "x")))[0].body == b"x"


OLD = page("alpha", "Alpha opened in 2019.", memento_datetime="Mon, 06 May 2024 10:00:00 GMT")
TOLD = PublishedAnswer.of(OLD)
FILE = "http/pages.json"


def test_headers_of_the_day_are_no_change() -> None:
    """Another date, server or mark of the same body is the same answer; another body is told with both digests."""
    later = dict(OLD.headers) | {"date": ("Tue, 03 Nov 2026 08:00:00 GMT",), "etag": ("b",), "server": ("x",)}
    new = replace(OLD, headers=later)
    assert compare(TOLD, new, FILE) is None and same_answer(TOLD, new) == OLD
    assert compare(TOLD, replace(OLD, headers={k: v for k, v in OLD.headers.items() if k != "date"}), FILE) is None
    # What was sent to get another answer is not in the world; the reply is as it came.
    new = replace(OWN[1], request_headers={"user-agent": ("me",)}, body=b"other", reason="Fine")
    assert changed_answer(PublishedAnswer.of(OWN[1]), new) == replace(OWN[1], body=b"other", reason="Fine")
    # An address is told in its canonical form, where every key is the word that stands for it.
    item = replace(posts(), uri=posts().uri + "&apikey=SCRUBBED")
    change = compare(PublishedAnswer.of(item), replace(item, body=b"x", uri=item.uri.replace("SCRUBBED", "hush")), FILE)
    assert change is not None and "hush" not in change.line
    change = compare(TOLD, replace(OLD, body=b"new"), FILE)
    assert change is not None and change.line.endswith(
        f"body, 21 -> 3 bytes, {digest_bytes(OLD.body)} -> {digest_bytes(b'new')}"
    )


@pytest.mark.parametrize(
    ("new", "kind", "what"),
    [
        (replace(OLD, body=b"Alpha opened in 2020."), "changed", "body"),
        (replace(OLD, status=301), "changed", "status"),
        (replace(OLD, headers=dict(OLD.headers) | {"content-type": ("text/html",)}), "changed", "header content-type"),
        (replace(OLD, headers=dict(OLD.headers) | {"memento-datetime": ("x",)}), "changed", "header memento-datetime"),
        (replace(OLD, status=404), "gone", "status"),
        (replace(OLD, status=401), "paid", "status"),
        ("api.example does not answer", "silent", "api.example does not answer"),
    ],
)
def test_each_change_has_its_name(new: object, kind: str, what: str) -> None:
    """Status before body before headers; which file it is in, and old and new side by side."""
    change = compare(TOLD, new, FILE)  # type: ignore[arg-type]
    assert change is not None and (change.kind, change.what, change.file) == (kind, what, FILE)
    assert (change.old_status, change.old_bytes, change.old_sha256) == (200, 21, digest_bytes(OLD.body))
    assert change.line.startswith(f"{kind}: GET https://r.jina.ai/https://news.example/alpha ({FILE})")
    assert "\n" not in change.line


PLAYBACK = "\n".join(f'[[entry]]\nurl = "{PAGE}{name}"\nmode = "once"\n' for name in ("seq", "alpha"))


class Site:
    """A published world, its origin as it is now, and where the world is made again."""

    def __init__(self, root: Path, answers: dict[str, Any], host_map: dict[str, str], asked: list[Any]) -> None:
        self.answers, self.asked = answers, asked
        self.asking = Asking(host_map=host_map, wait=lambda _: None)
        self.world = small_world(root / "first", playback=PLAYBACK)
        self.pub = publish(self.world, root / "pub").path
        self.out = root / "second" / "cassettes" / "again"

    @property
    def words(self) -> dict[str, Words]:
        task = self.world.task("t-one")
        return {"t-one": Words(task.question, task.answer)}

    def run(self, **options: Any) -> Rehydration:
        return rehydrate(self.pub, self.out, **{"questions": self.words, "asking": self.asking} | options)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """Everything unchanged, to begin with."""
    answers = unchanged()
    with serving(answers) as (host_map, asked):
        yield Site(tmp_path, answers, host_map, asked)


def test_a_silent_host_keeps_the_world_from_being_written(site: Site) -> None:
    """What was answered stays, and the same command asks for the rest alone; or it is left out of all."""
    site.answers[f"{PAGE}alpha"] = [{"hang_up": True}]
    done = site.run()
    assert not done.written and not site.out.exists() and "the same command goes on" in done.lines[-1]
    assert [change.kind for change in done.changes] == ["silent"] and done.lines[0].startswith("silent: GET https://r.")
    asked = len(site.asked)
    assert site.run(allow_silent=True).written and len(site.asked) == asked + 1
    assert (site.out / "http" / "playback.toml").read_text().count("entry") == 1
    shutil.rmtree(site.out)
    site.answers |= unchanged()
    assert site.run().identical


def test_what_was_not_published_is_told(site: Site, tmp_path: Path) -> None:
    """Words without a file of questions, a file left out, a request that repeats its question: not the same."""
    done = site.run(questions=None)
    assert done.doubts == ("t-one: its question is not in the file of questions",) and not done.identical
    assert done.same == done.answers and done.differing == ("tasks/t-one/task.toml",)
    assert open_world(str(site.out)).task("t-one").question.startswith("sha256:")
    shutil.rmtree(site.out)
    site.answers |= unchanged()
    world = small_world(tmp_path / "third", own=(*OWN, search(QUESTION)))
    (world.path / "notes.txt").write_text("mine")
    seal_world(world.path)
    site.pub = publish(open_world(str(world.path)), tmp_path / "pub3").path
    done = site.run()
    assert (done.left_out, done.withheld_requests, done.identical) == (("notes.txt",), 1, False)
    assert any("1 requests that repeat" in line for line in done.lines)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda site: {"asking": replace(site.asking, most_requests=6)}, "asks for 7 requests, more than 6"),
        (lambda site: {"asking": replace(site.asking, host_map={}, allow=()), "providers": ()}, "may not be asked"),
        (lambda site: (site.pub / "tasks" / "t-one" / "task.toml").write_text("id = 'other'\n"), "missing|'other'"),
        (lambda site: (site.pub / FORM).unlink(), "cannot be read"),
        (lambda site: site.out.mkdir(parents=True), "nothing is written over"),
        (lambda site: setattr(site, "out", site.world.path / "again"), "which is sealed"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_asked(site: Site, spoil: Callable[[Site], Any], words: str) -> None:
    """No request goes out, and no folder is left, not even for what was asked."""
    options, place = spoil(site), site.out.parent.parent
    with pytest.raises(BadInput, match=words):
        site.run(**options if isinstance(options, dict) else {})
    assert site.asked == [] and not [*place.glob(".cache/rehydrate/*"), *site.out.rglob("*")]
