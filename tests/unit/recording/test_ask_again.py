"""Published questions asked of their origins again, and how an answer differs from the published one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from caia_replay.canonical import digest_bytes
from caia_replay.errors import BadInput
from caia_replay.recording.answer_change import changed_answer, compare, same_answer
from caia_replay.recording.ask_again import AskAgain, Asking, Question, Silent, question_of, questions_of
from caia_replay.recording.published_file import PublishedAnswer
from tests.published_world import KEYS, OWN, PAGE, POSTS, as_replies, page, posts, serving, unchanged

ALPHA = page("alpha", "Alpha opened in 2019.")
BUSY = {"status": 429, "headers": {"Retry-After": "1"}, "body": b"later"}


class Told:
    """A living origin and what is asked of it; ``asking`` leads there without waiting."""

    def __init__(self, host_map: dict[str, str], asked: list[Any], answers: dict[str, Any]) -> None:
        self.asked, self.answers = asked, answers
        self.waited: list[float] = []
        self.asking = Asking(host_map=host_map, keys=KEYS, wait=self.waited.append)

    @property
    def urls(self) -> list[str]:
        return [url for _, url, _ in self.asked]


@pytest.fixture
def told() -> Iterator[Told]:
    """The small world's origin."""
    answers = unchanged()
    with serving(answers) as (host_map, asked):
        yield Told(host_map, asked, answers)


def question(*items: Any) -> Question:
    return Question(items[0], tuple(item.status for item in items))


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


def test_keys_go_to_their_host_alone(told: Told, tmp_path: Path) -> None:
    """Each host is sent its own key where the recording had one, and no file below the journal holds any."""
    with AskAgain(tmp_path / "j", "a", told.asking) as origin:
        for item in OWN:
            origin.answers(question(item))
    sent = {url: headers for _, url, headers in told.asked}
    assert sent[POSTS]["authorization"] == KEYS["api.x.com"]
    assert not any(key in str(sent[f"{PAGE}own"]) for key in KEYS.values())
    files = [path.read_text("utf-8") for path in (tmp_path / "j").rglob("*.json")]
    assert len(files) == 4 and not any(key[-10:] in text for key in KEYS.values() for text in files)


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


def test_waiting_is_not_recorded_unless_it_was(told: Told, tmp_path: Path) -> None:
    """A host that says later is asked later; where that refusal was published, it is kept, in order."""
    told.answers[ALPHA.uri] = [BUSY, *as_replies(ALPHA)]
    with AskAgain(tmp_path / "a", "a", told.asking) as origin:
        assert [item.status for item in origin.answers(question(ALPHA))] == [200]
    told.answers[ALPHA.uri] = [BUSY, *as_replies(ALPHA)]
    with AskAgain(tmp_path / "b", "a", told.asking) as origin:
        asked = question(replace(ALPHA, status=429), ALPHA)
        assert asked.times == 1 and [item.status for item in origin.answers(asked)] == [429, 200]
    told.answers[ALPHA.uri] = [BUSY]
    with AskAgain(tmp_path / "c", "a", told.asking) as origin:
        assert [item.status for item in origin.answers(question(replace(ALPHA, status=429)))] == [429]
    assert told.waited == [1.0, 1.0]


OLD = page("alpha", "Alpha opened in 2019.", memento_datetime="Mon, 06 May 2024 10:00:00 GMT")
TOLD = PublishedAnswer.of(OLD)
FILE = "http/pages.json"


def test_headers_of_the_day_are_no_change() -> None:
    """Another date, server or mark of the same body is the same answer, and gets the published headers."""
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


@pytest.mark.parametrize(
    ("new", "kind", "what"),
    [
        (replace(OLD, body=b"Alpha opened in 2020."), "changed", "body"),
        (replace(OLD, status=301), "changed", "status"),
        (replace(OLD, status=500), "changed", "status"),
        (replace(OLD, headers=dict(OLD.headers) | {"content-type": ("text/html",)}), "changed", "header content-type"),
        (replace(OLD, headers=dict(OLD.headers) | {"memento-datetime": ("x",)}), "changed", "header memento-datetime"),
        (replace(OLD, status=404), "gone", "status"),
        (replace(OLD, status=410), "gone", "status"),
        (replace(OLD, status=401), "paid", "status"),
        (replace(OLD, status=402), "paid", "status"),
        (replace(OLD, status=403), "paid", "status"),
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


def test_a_changed_body_is_told_with_both_digests() -> None:
    """Length and digest, before and after."""
    change = compare(TOLD, replace(OLD, body=b"new"), FILE)
    assert change is not None and change.line.endswith(
        f"body, 21 -> 3 bytes, {digest_bytes(OLD.body)} -> {digest_bytes(b'new')}"
    )


def test_a_refusal_that_was_published_is_the_same() -> None:
    """404 then and now is an answer like any other; another body of it is a changed one."""
    old = PublishedAnswer.of(replace(OLD, status=404))
    assert compare(old, replace(OLD, status=404), FILE) is None
    change = compare(old, replace(OLD, status=404, body=b"x"), FILE)
    assert change is not None and change.kind == "changed"
