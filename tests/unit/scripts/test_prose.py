"""The checker of prose: what a sentence and a word are, what it finds, and that our pages pass."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from tests.peer_python import brought_python

Load = Callable[[str], ModuleType]
PAGE = """# A heading is no sentence

Run `caia-replay lint`. See [the page
on lint](lint.md) for 12.5 % more.

- An item is a sentence
- So is *this one.* And this.

    caia-replay replay --model is-not-prose

| a table | has words |
|---|---|

```sh
nothing in a fence counts
```
"""


@pytest.fixture(scope="module")
def prose(loaded: Load) -> ModuleType:
    """The script as a module."""
    return loaded("prose")


def test_sentences_are_told_from_code_tables_and_headings(prose: ModuleType) -> None:
    """Each has the line on which its paragraph begins; code is one sign, a link is its words."""
    assert list(prose.sentences(PAGE)) == [
        (3, "Run x."),
        (3, "See the page on lint for 12.5 % more."),
        (6, "An item is a sentence"),
        (7, "So is *this one."),
        (7, "And this."),
    ]


def test_words_have_letters_and_are_no_code(prose: ModuleType) -> None:
    """Headings and tables count; numbers, code and fences do not."""
    told = prose.words(PAGE)
    assert len(told) == 28 and told[:3] == ["A", "heading", "is"] and not {"x", "12.5", "fence"} & {*told}


def test_each_limit_is_found_with_its_line(prose: ModuleType) -> None:
    """A long sentence, a word to avoid and a long page, and nothing in a page without them."""
    assert list(prose.findings("p.md", PAGE)) == []
    long = "Word " + "word " * 29 + "end.\n\nThis is told anew.\n"
    found = list(prose.findings("p.md", long))
    assert [line.partition(": ")[0] for line in found] == ["p.md:1", "p.md:3", "p.md:3"]
    (found,) = prose.findings("p.md", "Some words here.\n\n" * 501)
    assert found == "p.md: 1503 words; at most 1500"


def test_shorter_words_and_sentences_read_more_easily(prose: ModuleType) -> None:
    """Flesch's figure for a text whose syllables are counted by hand; none for a page of code."""
    easy, hard = "The cat sat. The dog ran.\n", "Consequently, considerable deterioration materialised.\n"
    assert prose.ease(easy) == pytest.approx(206.835 - 1.015 * 3 - 84.6)
    assert prose.ease(hard) < 0 < prose.ease(easy)
    assert prose.ease("    code\n") is None


@pytest.mark.check
def test_our_pages_pass(prose: ModuleType) -> None:
    """The command that ``make lint`` runs, with proselint, ends with 0 and prints the counts."""
    script = Path(prose.__file__ or "")
    done = subprocess.run([brought_python("docs"), script], capture_output=True, text=True)
    assert done.returncode == 0 and " pages by hand, " in done.stdout, done.stdout
