"""The docs as a site: each page has its place, links and commands hold, and the built site works from a folder."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click
import pytest
import yaml

from caia_replay.cli import main
from caia_replay.errors import BadInput
from tests.chromium import Chromium
from tests.peer_python import brought_python

PROJECT: Final = Path(__file__).resolve().parents[3]
DOCS: Final = PROJECT / "docs"
BY_SCRIPTS: Final = {DOCS / name for name in ("commands.md", "tools.md", "web-samples.md")}
WRITTEN: Final = sorted({*PROJECT.glob("*.md"), *DOCS.rglob("*.md")} - BY_SCRIPTS)
"""The pages that people write."""
AXE: Final = PROJECT / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
PAGES: Final = ("index", "tutorial", "your-agent", "defences", "twins", "fleet", "tools")
"""Pages that together have every kind of block: shells, Python, TOML, JSON, wide tables, pictures."""
AXE_RUN: Final = "axe.run().then((told) => told.violations.map((one) => [one.id, one.nodes[0].target.join(' ')]))"
CODE: Final = re.compile(r"^```.*?^```$|^ {4}[^\n]*$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
LINK: Final = re.compile(r"\]\(([^)#\s:]+)(?:#[^)]*)?\)")


def pages_of(part: Any) -> Iterator[str]:
    """The pages that a part of the navigation names."""
    if isinstance(part, str):
        yield part
    else:
        for inner in part.values() if isinstance(part, dict) else part:
            yield from pages_of(inner)


def test_every_page_stands_in_the_navigation() -> None:
    """Each page of docs/ once, and none that is not there but those that lie beside docs/."""
    told = sorted(pages_of(yaml.safe_load((PROJECT / "mkdocs.yml").read_text("utf-8"))["nav"]))
    there = [path.relative_to(PROJECT / "docs").as_posix() for path in (PROJECT / "docs").rglob("*.md")]
    beside = ["CHANGELOG.md", "CONTRIBUTING.md", "GLOSSARY.md", "THIRD_PARTY.md", "index.md"]
    assert told == sorted([*there, *beside])


def test_every_relative_link_leads_to_a_file() -> None:
    """Of all pages, code left out."""
    faults = []
    for page in (*(PROJECT / "docs").rglob("*.md"), *PROJECT.glob("*.md")):
        text = CODE.sub("", page.read_text("utf-8"))
        faults += [f"{page.name}: {link}" for link in LINK.findall(text) if not (page.parent / link).exists()]
    assert not faults, "\n".join(faults)


def commands_of(page: str) -> list[str]:
    """The lines of its blocks that begin with our command, without what a shell or a reader is told behind it."""
    fenced = "\n".join(re.findall(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))
    lines = re.findall(r"^ {4,7}(caia-replay .+)$", page, re.MULTILINE)
    lines += re.findall(r"^(?:\w+=\S+ )*(?:\.venv/bin/)?(caia-replay .+)$", fenced, re.MULTILINE)
    return [re.split(r"\s{2,}|\s[|&>#]|;", re.sub(r"\$(?:\w+|\(\(.*?\)\))", "1", line))[0] for line in lines]


def test_every_command_of_every_page_is_one() -> None:
    """Each names a command that exists, with options and values that it has; pages by scripts are left out."""
    faults, found = list[str](), Counter[str]()
    for path in WRITTEN:
        for line in commands_of(path.read_text("utf-8")):
            command: click.Command | None = main
            words = shlex.split(line)[1:]
            try:
                while isinstance(command, click.Group):
                    _, command, words = command.resolve_command(click.Context(command), words)
                assert command is not None
                command.make_context("caia-replay", words)
            except (click.ClickException, BadInput) as error:
                faults.append(f"{path.name}: {line}: {error}")
            found[path.name] += 1
    assert not faults, "\n".join(faults)
    assert len(found) > 30 and found["intake.md"] == 17 and found["add-a-task.md"] == 6


def test_every_block_of_every_page_is_well_formed() -> None:
    """Python compiles, or is a session that a test runs; TOML and JSON are read."""
    read = {"json": json.loads, "toml": tomllib.loads, "python": lambda code: compile(code, "block", "exec")}
    kinds = set()
    for path in WRITTEN:
        for kind, code in re.findall(r"^```(\w+)\n(.*?)^```$", path.read_text("utf-8"), re.MULTILINE | re.DOTALL):
            if kind in read and ">>> " not in code:
                read[kind](code)
                kinds.add(kind)
    assert kinds == set(read)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as ``make docs`` builds it: any warning, such as of a link without an end, is an error."""
    python, folder = brought_python("docs"), tmp_path_factory.mktemp("site")
    command = [str(python), "-m", "mkdocs", "build", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=PROJECT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return folder


@pytest.mark.check
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_real_browser_finds_no_fault_for_a_reader(site: Path, tmp_path: Path, scheme: str) -> None:
    """No finding of axe-core in any of its rules, contrast of colours included, in either of the theme's schemes."""
    if not AXE.is_file():
        pytest.skip("needs what this brings once: npm ci --prefix frontend")
    page = Chromium(tmp_path)
    try:
        page.look(dark=scheme == "dark")
        for name in PAGES:
            page.ask("Page.navigate", url="about:blank")
            page.ask("Page.navigate", url=(site / f"{name}.html").as_uri())
            page.wait("document.readyState === 'complete' && document.querySelector('.md-search__input')")
            assert page.run("document.body.dataset.mdColorScheme") == {"light": "default", "dark": "slate"}[scheme]
            page.run(AXE.read_text("utf-8") + "; null")
            assert page.run(AXE_RUN) == [], name
    finally:
        page.close()


@pytest.mark.check
def test_the_site_is_searched_from_its_folder(site: Path, tmp_path: Path) -> None:
    """In a real browser without a server: a search finds a page, and nothing is asked of any host."""
    page = Chromium(tmp_path)
    try:
        page.ask("Page.navigate", url=(site / "index.html").as_uri())
        page.wait("document.readyState === 'complete' && document.querySelector('.md-search__input')")
        page.run("document.querySelector('.md-search__input').focus()")
        page.ask("Input.insertText", text="gateway")
        page.run("document.querySelector('.md-search__input').dispatchEvent(new Event('keyup'))")
        page.wait("document.querySelector('.md-search-result__item a[href*=gateway]')")
        assert [one for one in page.requests if one.startswith("http")] == []
    finally:
        page.close()
