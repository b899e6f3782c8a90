"""The written pages, all of them, and the rules that hold for each."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from caia_replay.errors import BadInput
from caia_replay.origin.mini.figure import FigureBook
from caia_replay.origin.mini.page import FOLDER, fill, render_pages, written_pages
from caia_replay.origin.mini.story import Told

HEAD = '[[page]]\nurl = "https://x.example/"\ntitle = "T"\n'


def test_the_web_has_its_size_and_its_languages(told: Told) -> None:
    """Forty to sixty pages on many reserved domains, at least five of them in Chinese."""
    pages = render_pages(FigureBook(told), told.times)
    hosts = {re.match(r"https://([^/]+)/", page.url)[1] for page in pages}  # type: ignore[index]
    assert 40 <= len(pages) <= 60
    assert len(hosts) >= 8 and all(host.endswith(".example") for host in hosts)
    assert sum(bool(re.search("[\u4e00-\u9fff]{10}", page.text)) for page in pages) >= 5


def test_no_slot_is_left_open(told: Told) -> None:
    """No finished title or text holds a brace."""
    for page in render_pages(FigureBook(told), told.times):
        assert not re.search(r"[{}]", page.title + page.text), page.url


def test_near_duplicates_are_the_two_that_were_meant(told: Told) -> None:
    """By word shingles, only the two wire copies resemble another page."""
    pages = render_pages(FigureBook(told), told.times)
    shingles = {}
    for page in pages:
        words = re.findall(r"[^\W\u4e00-\u9fff]+|[\u4e00-\u9fff]", page.text)
        shingles[page.url] = {tuple(words[at : at + 4]) for at in range(len(words) - 3)}
    alike = [
        {a, b}
        for a in shingles
        for b in shingles
        if a < b and len(shingles[a] & shingles[b]) > 0.3 * min(len(shingles[a]), len(shingles[b]))
    ]
    assert len(alike) == 2
    assert all(any("/wire/" in url for url in pair) for pair in alike)


def test_links_between_pages_lead_somewhere(told: Told) -> None:
    """The governance index names its newest proposals' own pages."""
    pages = {page.url: page for page in render_pages(FigureBook(told), told.times)}
    index = pages[f"https://gov.{told.cast.protocol.site}/"]
    links = re.findall(r"https://\S+", index.text)
    assert len([link for link in links if link in pages]) >= 3


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (HEAD + 'block = 5\nhours = 1\ntext = "{supply.token.6}"', "tells of block 6"),
        (HEAD + 'block = 5\nhours = 200\ntext = "x"', "past the next block"),
        (HEAD + 'block = 5\nhours = 1\ntext = "{king}"', "no figure"),
        (HEAD + 'block = 5\nhours = "1"\ntext = "x"', "whole number"),
        ((HEAD + 'block = 5\nhours = 1\ntext = "x"\n') * 2, "two pages"),
        ("[[page]]\n", "missing"),
    ],
)
def test_a_wrong_page_is_bad_input(told: Told, tmp_path: Path, text: str, fault: str) -> None:
    """Foresight, bad dates, unknown figures, wrong types and repeated addresses are each one line."""
    (tmp_path / "x.toml").write_text(text)
    with pytest.raises(BadInput, match=fault):
        render_pages(FigureBook(told), told.times, tmp_path)


def test_filling_leaves_other_braces_alone() -> None:
    """Only names are slots."""
    assert fill("{a} {B} {} {1 2}", {"a": "x"}) == "x {B} {} {1 2}"
    assert len(written_pages(FOLDER)) == len({page.url for page in written_pages(FOLDER)})
