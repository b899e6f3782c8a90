"""How many seeded mutants of the package its tests kill.

    python scripts/mutants.py sample                          draw the sample again: tests/golden/mutants.jsonl
    python scripts/mutants.py run [--tree DIR] [--out FILE]   kill what can be killed; --part I/N shares the work

Needs cosmic-ray (``pip install cosmic-ray==8.7.0``), whose operators make the mutants; it is no dependency. A mutant is
one changed place in core, store, cassette, chain, providers, world, tools, scoring or runner. The tests run against it
are those near it: files that import the changed module, directly or through a helper, then its room's, then the
replays of small worlds, those that name most of the module first; first what make test runs, with its few draws, then
the rest of make check. It survives when none fails, or when
they have used LIMIT_S: 20, or what MUTANT_LIMIT_S says. Files that need the short economy are left out: it costs two
minutes each time.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "tests" / "golden" / "mutants.jsonl"
SEED, SIZE = 25, 300
ROOMS = ("core", "store", "cassette", "chain", "providers", "world", "tools", "scoring", "runner")
OPERATORS = (
    *("Add_Sub", "Sub_Add", "Mul_Add", "Div_Mul", "FloorDiv_Mul", "Mod_Add", "Pow_Mul", "LShift_RShift"),
    *("RShift_LShift", "BitOr_BitAnd", "BitAnd_BitOr", "BitXor_BitAnd"),
)
COMPARISONS = ("Eq_NotEq", "NotEq_Eq", "Lt_LtE", "LtE_Lt", "Gt_GtE", "GtE_Gt", "Is_IsNot", "IsNot_Is")
OTHERS = (
    *("NumberReplacer", "ExceptionReplacer", "ZeroIterationForLoop", "AddNot", "ReplaceAndWithOr"),
    *("ReplaceOrWithAnd", "ReplaceTrueWithFalse", "ReplaceFalseWithTrue", "ReplaceBreakWithContinue"),
    *("ReplaceContinueWithBreak", "ReplaceUnaryOperator_Delete_Not", "ReplaceUnaryOperator_USub_UAdd"),
)
NEEDS_ECONOMY = re.compile(r"\bshort_(?:economy|world): |\bbench: Bench\b")
LIMIT_S = float(os.environ.get("MUTANT_LIMIT_S", "30"))
"""Processor time that one mutant's tests may use, in each of the two tiers."""
TIERS = (("test", "not soak and not check", "quick"), ("check", "check and not soak", "suite"))
TEST_S = 45.0
"""Processor time of one test, after which the mutant counts as killed: it made a loop endless."""


# The sample.


def operators() -> Iterator[tuple[str, Any]]:
    """(name, operator of cosmic-ray)."""
    from cosmic_ray.plugins import get_operator

    names = [f"ReplaceBinaryOperator_{one}" for one in OPERATORS]
    names += [f"ReplaceComparisonOperator_{one}" for one in COMPARISONS]
    for name in (*names, *OTHERS):
        yield name, get_operator(f"core/{name}")()


def not_run(tree: ast.Module) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Spans of annotations and of what is for type checkers alone, which no test can see."""
    spans: list[ast.expr | ast.stmt] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
            spans.append(node.annotation)
        elif isinstance(node, ast.FunctionDef) and node.returns is not None:
            spans.append(node.returns)
        elif isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            spans.extend(node.body)
        elif isinstance(node, ast.Assign) and not isinstance(node.value, ast.Call) and "TypeAlias" in ast.dump(node):
            spans.append(node.value)
    return [((one.lineno, one.col_offset), (one.end_lineno or 0, one.end_col_offset or 0)) for one in spans]


def places(path: Path) -> Iterator[tuple[tuple[int, int], str, int]]:
    """(position, operator, occurrence) of every mutant of a module."""
    from cosmic_ray.ast import ast_nodes, get_ast

    text = path.read_text("utf-8")
    hidden = not_run(ast.parse(text))
    nodes = list(ast_nodes(get_ast(text)))
    for name, operator in operators():
        occurrence = 0
        for node in nodes:
            for start, _ in operator.mutation_positions(node):
                if not any(begin <= start < end for begin, end in hidden):
                    yield start, name, occurrence
                occurrence += 1


def sample() -> list[dict[str, Any]]:
    """SIZE places of the rooms, drawn by SEED, and at each one of its mutants."""
    found: dict[tuple[str, tuple[int, int]], list[tuple[str, int]]] = {}
    for room in ROOMS:
        for path in sorted((ROOT / "caia_replay" / room).rglob("*.py")):
            for start, name, occurrence in places(path):
                found.setdefault((path.relative_to(ROOT).as_posix(), start), []).append((name, occurrence))
    rng = random.Random(SEED)
    drawn = []
    for module, start in sorted(rng.sample(sorted(found), SIZE)):
        name, occurrence = rng.choice(found[module, start])
        drawn.append({"module": module, "line": start[0], "operator": name, "occurrence": occurrence})
    return drawn


def mutated(text: str, mutant: dict[str, Any]) -> str | None:
    """The module's text with the mutant in it; None where its place is gone."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    changed = mutate_code(text, get_operator(f"core/{mutant['operator']}")(), mutant["occurrence"])
    return None if changed is None else str(changed)


# The tests near a module.


def near(tree: Path, module: str) -> list[str]:
    """Test files of a tree, those that import the module first."""
    dotted = module.removesuffix(".py").replace("/", ".")
    package, _, last = dotted.rpartition(".")
    asks = re.compile(rf"\bfrom {re.escape(package)} import .*\b{last}\b|\b{re.escape(dotted)}\b")
    texts = {path: path.read_text("utf-8") for path in sorted((tree / "tests").rglob("*.py"))}
    helpers = [path.stem for path, text in texts.items() if not path.name.startswith("test_") and asks.search(text)]
    through = re.compile(rf"\btests\.(?:\w+\.)*(?:{'|'.join(helpers) or '-'})\b|\b(?:{'|'.join(helpers) or '-'}): ")
    room = module.split("/")[1]
    public = re.findall(
        r"^(?:def|class) ([a-zA-Z]\w*)|^([A-Z]\w*)\b.*=", (tree / module).read_text("utf-8"), re.MULTILINE
    )
    names = re.compile(rf"\b(?:{'|'.join(one or other for one, other in public) or '-'})\b")

    def rank(path: Path) -> int | None:
        text, where = texts[path], path.relative_to(tree / "tests").as_posix()
        if where.startswith("soak/") or not path.name.startswith("test_") or NEEDS_ECONOMY.search(text):
            return None
        if asks.search(text):
            return 0 if where.startswith(f"unit/{room}/") else 1
        if through.search(text):
            return 2
        if where.startswith((f"unit/{room}/", "tool_draw/", "contracts/")):
            return 3
        return 4 if where.startswith(("replay/", "data/test_labelled")) else None

    ranked = [(found, -len(names.findall(texts[path])), path) for path in texts if (found := rank(path)) is not None]
    return [path.relative_to(tree).as_posix() for *_, path in sorted(ranked)]


# The run. Every mutant has a process of its own, forked from one that has imported everything heavy.


def run_tests(tree: Path, files: list[str], *options: str, profile: str = "suite") -> tuple[int, str]:
    """pytest's exit code over the files until the first failure, in a forked process, and what failed there.

    The code is 0 where LIMIT_S was used up first. ``profile`` is hypothesis's.
    """
    child = os.fork()
    if child == 0:
        os.setsid()
        os.chdir(tree)
        os.environ["PYTHONPATH"] = str(tree)
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        os.environ["HYPOTHESIS_PROFILE"] = profile
        sys.dont_write_bytecode = True
        sys.path.insert(0, str(tree))
        log = os.open(os.environ["MUTANT_LOG"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(log, 1)
        os.dup2(log, 2)
        import pytest

        code = pytest.main(["-x", "-q", "--no-header", "--tb=line", "-rfE", *options, *files], plugins=[_Limits()])
        os._exit(0 if code in (0, 5) else int(code))  # at once: threads and servers of the tests need no orderly end
    _, status = os.waitpid(child, 0)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # what tests of a broken package left behind
    said = Path(os.environ["MUTANT_LOG"]).read_text("utf-8", errors="replace")
    code = os.waitstatus_to_exitcode(status)
    if code == 4 and "while loading conftest" not in said:
        raise SystemExit(f"pytest could not begin:\n{said}")
    found = re.search(r"^(?:FAILED|ERROR) (\S+?\.py(?:::\w+)*)", said, re.MULTILINE)
    return code, found[1] if found else "time"


class _Limits:
    """Ends a test that loops, and the run when its time is used up."""

    def __init__(self) -> None:
        self._start = time.process_time()
        signal.signal(signal.SIGPROF, self._ended)

    def pytest_runtest_logstart(self) -> None:
        if time.process_time() - self._start > LIMIT_S:
            os._exit(0)
        signal.setitimer(signal.ITIMER_PROF, TEST_S)

    @staticmethod
    def _ended(_: int, __: FrameType | None) -> None:
        os._exit(1)


def import_heavy() -> None:
    """What every test run would import again, and no mutant changes."""
    for name in (
        *("pytest", "hypothesis", "xdist", "pyarrow", "pyarrow.parquet", "pyarrow.dataset", "web3", "eth_abi"),
        *("openai", "httpx", "httpx2", "pydantic", "uvicorn", "click", "rich", "vcr", "requests", "eth_account"),
    ):
        __import__(name)


def run(tree: Path, part: tuple[int, int], out: Path | None) -> Counter[str]:
    """The verdict on each mutant: test, check or survived, as lines of ``out`` and counted."""
    import_heavy()
    mutants = [json.loads(line) for line in SAMPLE.read_text("utf-8").splitlines()]
    verdicts: Counter[str] = Counter()
    killers: dict[str, str] = {}
    with tempfile.NamedTemporaryFile(prefix="mutant-") as log:
        os.environ["MUTANT_LOG"] = log.name
        for place, mutant in enumerate(mutants):
            path = tree / mutant["module"]
            if place % part[1] != part[0]:
                continue
            text = path.read_text("utf-8") if path.is_file() else ""
            broken = mutated(text, mutant)
            if broken is None:
                verdicts["gone"] += 1
                continue
            files = near(tree, mutant["module"])
            start = time.monotonic()
            try:
                path.write_text(broken, "utf-8")
                verdict, where = "survived", f"{mutant['module']}:{mutant['line']} {mutant['operator']}"
                for name, marker, profile in TIERS:
                    code, killer = run_tests(tree, files, "-m", marker, profile=profile)
                    if code != 0:
                        verdict = name
                        killers[killer] = where = f"{mutant['module']}:{mutant['line']} {mutant['operator']} {killer}"
                        break
            finally:
                path.write_text(text, "utf-8")
            verdicts[verdict] += 1
            said = f"{place} {verdict} {time.monotonic() - start:.0f} s {where}"
            print(said, flush=True)
            if out is not None:
                with out.open("a", encoding="utf-8") as lines:
                    lines.write(said + "\n")
        for killer in sorted(killers.keys() - {"time"}):
            if run_tests(tree, [killer])[0] != 0:
                print(f"proves nothing: {killer} fails without a mutant, too; it killed {killers[killer]}, or more")
    return verdicts


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("sample", "run"))
    parser.add_argument("--tree", type=Path, help="a clone that may be changed; default: one made for this run")
    parser.add_argument("--part", default="1/1", help="I/N: every Nth mutant, from the Ith")
    parser.add_argument("--out", type=Path, help="verdicts are added to this file")
    asked = parser.parse_args()
    if asked.what == "sample":
        SAMPLE.write_text("".join(json.dumps(one) + "\n" for one in sample()), "utf-8")
        return 0
    first, of = map(int, asked.part.split("/"))
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        tree = asked.tree
        if tree is None:
            tree = Path(folder) / "tree"
            subprocess.run(["git", "clone", "-q", ROOT, tree], check=True)
            (tree / "node_modules").symlink_to(ROOT / "node_modules")
            os.environ.setdefault("CAIA_REAL_DATA", str(ROOT.parent / "shared" / "real"))
        verdicts = run(tree.resolve(), (first - 1, of), asked.out)
    killed, gone = verdicts["test"] + verdicts["check"], verdicts["gone"]
    print(f"{killed} of {verdicts.total() - gone} killed; {verdicts['test']} of them by make test alone")
    if gone:
        print(f"{gone} have lost their places; next: python scripts/mutants.py sample")
    return 0


if __name__ == "__main__":
    sys.exit(main())
