"""No module of the package imports itself over others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any


def resolved(target: str, modules: Iterable[str]) -> str | None:
    """The module an import names: the target itself, or its parent when the target is a name inside it."""
    known = set(modules)
    parent = target.rpartition(".")[0]
    return target if target in known else parent if parent in known else None


def cycle(graph: Mapping[str, set[str]]) -> list[str]:
    """One cycle of the graph as a path that ends where it began, or an empty list."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_import_cycle(modules: dict[str, Path], imports: list[Any]) -> None:
    """The import graph, with imports inside functions, has no cycle."""
    graph: dict[str, set[str]] = {name: set() for name in modules}
    for item in imports:
        target = resolved(item.target, modules)
        if target is not None and target != item.module:
            graph[item.module].add(target)
    assert not cycle(graph), " -> ".join(cycle(graph))


def test_a_cycle_is_found() -> None:
    """Three modules in a ring are reported as a path; a ladder is not."""
    assert len(cycle({"a": {"b"}, "b": {"c"}, "c": {"a"}})) == 4
    assert cycle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []
