"""What agents really asked of the web, asked of ours: every call gets a class, none ends a run."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from caia_replay.core.tool import Served
from caia_replay.store.world_folder import open_world
from caia_replay.tools.catalog import WorldToolset
from caia_replay.world.world import FrozenWorld

_CALL = re.compile(r"<tool_call>\s*(\{.*?\})\s*</tool_call>", re.DOTALL)
_CALLS = 222


def traced(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every search and visit of the traces; what is no JSON is the prompt's own example or its grammar."""
    for line in (folder / "agent-traces" / "webdancer_sample_traj.jsonl").read_text(encoding="utf-8").splitlines():
        for text in _texts(json.loads(line)):
            for found in _CALL.finditer(text):
                try:
                    call = json.loads(found[1])
                except ValueError:
                    continue
                if call.get("name") in ("search", "visit"):
                    yield call["name"], call["arguments"]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)


def test_every_call_of_real_agents_gets_a_class(real_data: Path, shipped: Path) -> None:
    """Searches are RANKED, whatever they find; pages nobody recorded are counted misses or errors, never answers."""
    classes: dict[str, Counter[Served]] = {"search": Counter(), "visit": Counter()}
    calls = list(traced(real_data))
    with FrozenWorld(open_world(str(shipped))) as frozen:
        tools = WorldToolset(frozen.task(frozen.folder.task(frozen.folder.suite.active()[0])))
        for name, arguments in calls:
            wanted = arguments["query" if name == "search" else "url"]
            for one in wanted if isinstance(wanted, list) else [wanted]:
                tool, argument = ("web_search", "query") if name == "search" else ("url_fetching", "url")
                reply = tools.call(tool, json.dumps({argument: one}))
                classes[name][reply.served] += 1
                assert (reply.error is None) == (reply.served not in (Served.MISS, Served.ERROR))
    assert len(calls) == _CALLS
    assert set(classes["search"]) == {Served.RANKED}
    assert classes["visit"] and set(classes["visit"]) <= {Served.MISS, Served.ERROR}
