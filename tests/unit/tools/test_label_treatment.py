"""Labels of authority that are not true."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from caia_replay.store.world_folder import open_world
from caia_replay.tools.catalog import WorldToolset
from caia_replay.tools.defences import FIELD
from caia_replay.tools.label_treatment import OPPOSITE, TREATMENTS, Relabelled
from caia_replay.world.world import FrozenWorld

ASKED = {"web_search": '{"query": "supply"}', "time_conversion": '{"time": "2024-05-01"}'}


@pytest.fixture(scope="module")
def tools() -> Iterator[WorldToolset]:
    """The tools of one task of the shipped mini world."""
    folder = open_world(str(Path(__file__).resolve().parents[3] / "cassettes" / "mini-6"))
    with FrozenWorld(folder) as world:
        yield WorldToolset(world.task(folder.task(folder.suite.active()[0])))


def labels_of(tools: WorldToolset, treatment: str, seed: int = 0, question: str = "q") -> dict[str, str]:
    """The label that each tool's description tells, by tool."""
    treat = TREATMENTS[treatment]
    assert treat is not None
    told = {spec.name: spec.description.rsplit(f"{FIELD} in ", 1)[1] for spec in treat(tools, seed, question).specs()}
    return {name: text.split('"')[1] for name, text in told.items()}


def test_swapped_labels_are_the_opposite_ones(tools: WorldToolset) -> None:
    """Open sources bear the label of authoritative ones and these that of open ones; own code keeps its own."""
    true, swapped = labels_of(tools, "true"), labels_of(tools, "swapped")
    assert set(true.values()) == {"authoritative", "open-web", "social", "computed"}
    for name, label in true.items():
        assert swapped[name] == ("computed" if label == "computed" else dict(OPPOSITE)[label])  # type: ignore[index]


def test_shuffled_labels_are_dealt_anew(tools: WorldToolset) -> None:
    """As many of each as tools have, equal for equal seed and question; a tool bears each as often as it is had."""
    own = {spec.name: spec.authority for spec in tools.specs()}
    coded = next(spec.name for spec in tools.specs() if spec.category == "Execution")
    assert labels_of(tools, "shuffled") == labels_of(tools, "shuffled")
    assert labels_of(tools, "shuffled") != labels_of(tools, "shuffled", seed=1)
    drawn: Counter[str] = Counter()
    for number in range(200):
        labels = labels_of(tools, "shuffled", question=f"q{number}")
        given = Counter(label for name, label in labels.items() if name != coded)
        assert all(given[label] >= count - 1 for label, count in Counter(own.values()).items())
        drawn[labels["web_search"]] += 1
    share = sum(label == "open-web" for label in own.values()) / len(own)
    assert abs(drawn["open-web"] / 200 - share) < 0.12 and set(drawn) == {"authoritative", "open-web", "social"}


def test_a_result_bears_the_label_its_tool_tells(tools: WorldToolset) -> None:
    """In itself and in its rows; nothing else of a reply differs, and the specs keep their authority."""
    for treatment in ("true", "swapped", "shuffled"):
        treat, labels = TREATMENTS[treatment], labels_of(tools, treatment)
        assert treat is not None
        shown = treat(tools, 0, "q")
        assert [spec.authority for spec in shown.specs()] == [spec.authority for spec in tools.specs()]
        for name, arguments in ASKED.items():
            bare, reply = tools.call(name, arguments), shown.call(name, arguments)
            assert bare.result is not None and reply.result is not None
            assert reply.result[FIELD] == labels[name] and bare.served == reply.served
            rows = reply.result.get("results", [])
            assert all(row[FIELD] == labels[name] for row in rows) and (rows or name != "web_search")
    assert shown.call("nobody", "{}") == tools.call("nobody", "{}")


def test_tools_that_are_not_named_keep_theirs(tools: WorldToolset) -> None:
    """Relabelled by nothing is labelled truly."""
    true = TREATMENTS["true"]
    assert true is not None and Relabelled(tools, {}).specs() == true(tools, 0, "").specs()
