"""docs/twins.md's examples, run as they stand."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs" / "twins.md"


def test_every_example_says_what_it_says() -> None:
    """The page is one Python session, and each result is the one printed there."""
    blocks = re.findall(r"^```python\n(.*?)^```$", DOCS.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    session = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "docs/twins.md", str(DOCS), 0)
    told: list[str] = []
    failed, tried = doctest.DocTestRunner(verbose=False).run(session, out=told.append)
    assert not failed, "".join(told)
    assert tried >= 8


def test_the_commands_are_those_of_the_command_line() -> None:
    """Every line of the example names a command that exists with the options it has."""
    from caia_replay.cli import main

    lines = re.findall(r"^    caia-replay (.+)$", DOCS.read_text("utf-8"), re.MULTILINE)
    for line in lines:
        words = line.split()
        context = main.make_context("caia-replay", words, resilient_parsing=True)
        name, command, rest = main.resolve_command(context, words)
        while hasattr(command, "resolve_command"):
            name, command, rest = command.resolve_command(context, rest)
        assert command is not None and command.make_context(name, rest), line
    assert len(lines) == 4
