"""Checks the pages that people write: long sentences, words to avoid, words in all, and proselint's own checks.

    prose.py                 one line for each finding, then the counts; exit code 1 if there is a finding
    prose.py --ease COMMIT   reading ease of the pages now, and of the same pages at COMMIT

Runs with the Python that ``sh scripts/peers.sh docs`` prints, since proselint is there. ``make lint`` calls it.
``scripts/prose.toml`` has the limits, the words, and which pages a script writes.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from statistics import mean, median
from typing import Any, Final

PROJECT: Final = Path(__file__).resolve().parents[1]
RULES: Final[dict[str, Any]] = tomllib.loads((PROJECT / "scripts" / "prose.toml").read_text("utf-8"))
FENCE: Final = re.compile(r"^[ ]*```.*?^[ ]*```[ ]*$|<!--.*?-->", re.MULTILINE | re.DOTALL)
INDENTED: Final = re.compile(r"(?:(?<=\n\n)|\A)(?:(?: {4}|\t)[^\n]*\n(?:[ \t]*\n)*)+", re.MULTILINE)
INLINE: Final = re.compile(r"``[^`]+``|`[^`]+`")
LINK: Final = re.compile(r"!?\[([^\]]*)\]\([^)\s]*\)")
WORD: Final = re.compile(r"[^\W_](?:[\w'’%.,:/-]*[\w%])?")
ITEM: Final = re.compile(r"^\s*(?:[-*]|\d+\.)\s+")
END: Final = re.compile(r"(?<=[.!?])[)*_\"]*\s+(?=[*(\[\"“]*[A-Z0-9xX\[])")
CODE: Final = "x"
"""What stands for code within a sentence."""
VOWELS: Final = re.compile(r"[aeiouy]+")


def written(root: Path = PROJECT) -> list[str]:
    """The pages that people write, relative to the root, sorted."""
    found = {*root.glob("*.md"), *(root / "docs").rglob("*.md")}
    names = {path.relative_to(root).as_posix() for path in found}
    return sorted(names - {*RULES["generated"], *RULES["lists"], *RULES["other_language"]})


def prose(text: str) -> str:
    """A page without its code: the same lines, ``x`` for code within a sentence, links as their words."""

    def blank(found: re.Match[str]) -> str:
        return "\n" * found[0].count("\n")

    text = INDENTED.sub(blank, FENCE.sub(blank, text))
    text = INLINE.sub(lambda found: CODE + blank(found), text)
    return LINK.sub(lambda found: found[1], text)


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """Line and words of each sentence of the prose; headings and tables have none."""
    start, lines = 0, list[str]()
    for number, line in enumerate([*prose(text).split("\n"), ""], 1):
        begins = bool(ITEM.match(line))
        if not line.strip() or begins or line.startswith(("#", "|")):
            at = start
            for one in END.split(" ".join(lines)):
                if WORD.search(one):
                    yield at, one
            lines = []
        if line.strip() and not line.startswith(("#", "|")):
            start = start if lines else number
            lines.append(ITEM.sub("", line).strip(" >"))


def words(text: str) -> list[str]:
    """The words of a text: what has a letter, code left out."""
    return [word for word in WORD.findall(prose(text)) if word != CODE and any(map(str.isalpha, word))]


def syllables(word: str) -> int:
    """How many syllables an English word has, by its groups of vowels."""
    word = word.lower().strip(".,:'’")
    count = len(VOWELS.findall(word))
    silent = re.search(r"[^l]e$|[^td]ed$", word) is not None
    return max(1, count - (silent and count > 1))


def ease(text: str) -> float | None:
    """Flesch's reading ease: 100 is very easy, 0 very hard; None for a page without sentences."""
    found = [WORD.findall(one) for _, one in sentences(text)]
    flat = [word for one in found for word in one if any(map(str.isalpha, word))]
    if not flat:
        return None
    return 206.835 - 1.015 * len(flat) / len(found) - 84.6 * sum(map(syllables, flat)) / len(flat)


def findings(name: str, text: str) -> Iterator[str]:
    """What is wrong with a page, one line each. A generated page may be long."""
    count = len(words(text))
    if count > RULES["page_words"] and name not in RULES["generated"]:
        yield f"{name}: {count} words; at most {RULES['page_words']}"
    for line, one in sentences(text):
        if (length := len(WORD.findall(one))) > RULES["sentence_words"]:
            yield f"{name}:{line}: a sentence of {length} words; at most {RULES['sentence_words']}: {one[:80]}"
    for number, line in enumerate(prose(text).split("\n"), 1):
        for word, better in RULES["avoid"].items():
            if re.search(rf"(?<![\w-]){word}(?![\w-])", line, re.IGNORECASE):
                yield f"{name}:{number}: {word}: write {better}"


def proselint_of(name: str, text: str) -> Iterator[str]:
    """What proselint says of a page, without its checks that prose.toml turns off."""
    from proselint.checks import __register__
    from proselint.config import DEFAULT
    from proselint.registry import CheckRegistry
    from proselint.tools import LintFile

    registry = CheckRegistry()
    if not registry.checks:
        registry.register_many(__register__)
    for found in LintFile(name, prose(text)).lint(DEFAULT):
        check = found.check_result
        is_apart = check.check_path == "lexical_illusions" and re.search(r"\n|\bx\s+x\b", check.message)
        if not is_apart and not check.check_path.startswith(tuple(RULES["proselint_off"])):
            yield f"{name}:{found.pos[0] - 1}: {check.check_path}: {check.message}"


def compare(commit: str) -> None:
    """Prints the reading ease of the pages that are there now and were at a commit."""
    then, now = list[float](), list[float]()
    for name in written():
        old = subprocess.run(["git", "show", f"{commit}:{name}"], cwd=PROJECT, capture_output=True, text=True)
        scores = ease(old.stdout), ease((PROJECT / name).read_text("utf-8"))
        if old.returncode == 0 and scores[0] is not None and scores[1] is not None:
            then.append(scores[0])
            now.append(scores[1])
            print(f"{scores[0]:6.1f} {scores[1]:6.1f}  {name}")
    print(f"reading ease (Flesch) of {len(now)} pages, {commit} -> now:")
    print(f"median {median(then):.1f} -> {median(now):.1f}, mean {mean(then):.1f} -> {mean(now):.1f}")


def main(arguments: list[str]) -> int:
    """Lint, or compare; 1 when there is a finding."""
    if arguments[:1] == ["--ease"]:
        compare(arguments[1])
        return 0
    faults, total, longest = list[str](), 0, (0, "")
    for name in written():
        text = (PROJECT / name).read_text("utf-8")
        faults += [*findings(name, text), *proselint_of(name, text)]
        count = len(words(text))
        total, longest = total + count, max(longest, (count, name))
    for name in RULES["help"]:
        faults += findings(name, (PROJECT / name).read_text("utf-8"))
    if total > RULES["all_words"]:
        faults.append(f"{total} words in all; at most {RULES['all_words']}")
    print(*faults, sep="\n", end="\n" if faults else "")
    print(f"{len(written())} pages by hand, {total} words; the longest: {longest[1]}, {longest[0]} words")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
