"""How recorded research agents search, and how a finished run does, in the same words.

    python scripts/agent_habits.py TRACES.jsonl     trajectories with <tool_call> in their texts, as WebDancer's
    python scripts/agent_habits.py RUN/CELL         a cell of a run folder, such as runs/policy-searcher/clean-tools

A search is one call, or the searches of one turn; its queries are what is asked at once.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any, Final

from caia_replay.errors import BadInput
from caia_replay.store.results import read_table

_CALL: Final = re.compile(r"<tool_call>\s*(\{.*?\})\s*</tool_call>", re.DOTALL)
_WORD: Final = re.compile(r"\w+")
_OPERATOR: Final = re.compile(r'"|\b[a-z]+:\S')


@dataclass(frozen=True, slots=True)
class Task:
    """One task: the queries of each search, and the addresses of each visit."""

    searches: tuple[tuple[str, ...], ...]
    visits: tuple[tuple[str, ...], ...]


def of_traces(path: Path) -> Iterator[Task]:
    """The tasks of a file of trajectories, one JSON object a line."""
    for line in path.read_text("utf-8").splitlines():
        said = (one["content"] for one in json.loads(line)["messages"] if one["role"] == "assistant")
        calls = [json.loads(found) for text in said for found in _CALL.findall(text)]
        yield Task(_given(calls, "search", "query"), _given(calls, "visit", "url"))


def _given(calls: Iterable[Mapping[str, Any]], tool: str, name: str) -> tuple[tuple[str, ...], ...]:
    given = (call["arguments"].get(name, []) for call in calls if call["name"] == tool)
    return tuple((one,) if isinstance(one, str) else tuple(map(str, one)) for one in given)


def of_run(cell: Path) -> Iterator[Task]:
    """The runs of a cell of a run folder."""
    runs: dict[tuple[str, int], dict[tuple[str, int], list[str]]] = {}
    for step in read_table(cell / "steps.parquet"):
        run = runs.setdefault((step["task"], step["attempt"]), {})
        name = {"web_search": "query", "url_fetching": "url"}.get(step["tool"])
        if name is not None:
            run.setdefault((name, step["turn"]), []).append(str(json.loads(step["arguments"]).get(name)))
    for run in runs.values():
        asked = {name: tuple(tuple(one) for (kind, _), one in run.items() if kind == name) for name in ("query", "url")}
        yield Task(asked["query"], asked["url"])


def habits(tasks: Sequence[Task]) -> dict[str, float]:
    """Means and medians over all tasks; shares are from 0 to 1."""
    searches = [search for task in tasks for search in task.searches]
    queries = [query for search in searches for query in search]
    visits = [visit for task in tasks for visit in task.visits]
    later = [_kept(search[0], query) for search in searches for query in search[1:]]
    if not queries or not later:
        raise BadInput("no search with two queries or more", next_command="scripts/agent_habits.py --help")
    return {
        "tasks": len(tasks),
        "searches a task, mean": mean(len(task.searches) for task in tasks),
        "queries a search, mean": mean(map(len, searches)),
        "queries a search, median": median(map(len, searches)),
        "words a query, mean": mean(len(query.split()) for query in queries),
        "words a query, median": median(len(query.split()) for query in queries),
        "queries with an operator": mean(bool(_OPERATOR.search(query)) for query in queries),
        "words of a later query that the first has": mean(later),
        "visits a search": len(visits) / len(searches),
        "addresses a visit, mean": mean(map(len, visits)) if visits else 0.0,
        "tasks with a visit": mean(bool(task.visits) for task in tasks),
    }


def _kept(first: str, later: str) -> float:
    before, words = ({word.casefold() for word in _WORD.findall(text)} for text in (first, later))
    return len(words & before) / max(1, len(words))


def main(arguments: list[str]) -> int:
    """Print the habits, one a line; 2 for what cannot be read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    path: Path = parser.parse_args(arguments).path
    try:
        found = habits(list(of_run(path) if path.is_dir() else of_traces(path)))
    except (BadInput, OSError, ValueError, KeyError, TypeError) as fault:
        print(f"{path}: {fault!s:.200}", file=sys.stderr)
        return 2
    for name, value in found.items():
        print(f"{name}: {value:.2f}".removesuffix(".00"))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
