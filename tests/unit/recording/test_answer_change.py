from __future__ import annotations

from dataclasses import replace

import pytest

from caia_replay.canonical import digest_bytes
from caia_replay.recording.answer_change import changed_answer, compare, same_answer
from caia_replay.recording.published_file import PublishedAnswer
from tests.published_world import OWN, page, posts

OLD = page("alpha", "Alpha opened in 2019.", memento_datetime="Mon, 06 May 2024 10:00:00 GMT")
TOLD = PublishedAnswer.of(OLD)
FILE = "http/pages.json"


def test_headers_of_the_day_are_no_change() -> None:
    """Another date, server or mark of the same body is the same answer, and gets the published headers."""
    later = dict(OLD.headers) | {"date": ("Tue, 03 Nov 2026 08:00:00 GMT",), "etag": ("b",), "server": ("x",)}
    new = replace(OLD, headers=later)
    assert compare(TOLD, new, FILE) is None and same_answer(TOLD, new) == OLD
    assert compare(TOLD, replace(OLD, headers={k: v for k, v in OLD.headers.items() if k != "date"}), FILE) is None


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


def test_no_credential_is_in_a_line() -> None:
    """An address is told in its canonical form, where every key is the word that stands for it."""
    item = replace(posts(), uri=posts().uri + "&apikey=SCRUBBED")
    change = compare(PublishedAnswer.of(item), replace(item, body=b"x", uri=item.uri.replace("SCRUBBED", "hush")), FILE)
    assert change is not None and "hush" not in change.line


def test_a_changed_answer_is_recorded_under_the_published_request() -> None:
    """What was sent to get it is not in the world; the reply is as it came."""
    old = OWN[1]
    new = replace(old, request_headers={"user-agent": ("me",)}, body=b"other", reason="Fine")
    made = changed_answer(PublishedAnswer.of(old), new)
    assert made == replace(old, body=b"other", reason="Fine")
