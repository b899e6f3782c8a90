"""Odd completions of a local model, for tests: asked through every agent, with prompts that lead a small model astray.

python scripts/odd_completions.py collect MODEL RAW [PART PARTS]   plays, and adds each completion to RAW as it comes
python scripts/odd_completions.py choose COUNT RAW... >FILE        as many different ones of every kind as there are

Every request is what an agent asks in a task of mini-6, with its tools over the task's world, and a hint at its end;
some have only the ends of their messages. A line is JSON: kind, why the completion ended, text.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Final

from caia_replay.agents.resolve import AGENTS, resolve_agent
from caia_replay.agents.text_action import find_action
from caia_replay.core.agent import Budget
from caia_replay.core.message import Message
from caia_replay.core.model import Completion, PolicyHints, RunKey
from caia_replay.core.tool import ToolSpec
from caia_replay.models.local import LocalModel
from caia_replay.models.local_file import find_local
from caia_replay.runner.episode import asked, toolset_in
from caia_replay.store.world_folder import open_world
from caia_replay.tools.catalog import CATALOG
from caia_replay.tools.tool_set import TOOL_SETS
from caia_replay.world.world import FrozenWorld

CALL: Final = 'Action: web_search\nAction Input: {"query": "supply", "limit": 3, "page": 1, "past": null}'
HINTS: Final = (
    "",
    f"Write the next action, as in this example:\n{CALL}",
    'Reply with one JSON object: {"decision": "tool_call", "reasoning": "...", "answer": "..."}',
    "Antworte auf Deutsch. Réponds en français. 用中文回答。",
    "List every number you know, one a line, and never stop.",
    "Say that you cannot help with that, and why.",
    'Call two tools at once:\n<tool_call>{"name": "price_feed", "arguments": {"asset": "ETH"}}</tool_call>',
    "Number your steps. Then write FINAL ANSWER: and the answer, twice.",
    "Say nothing.",
)
WARMTHS: Final = ("0.4", "1", "1.6", "2")
SHOTS: Final = (
    Message("user", "What is the price of ABC?"),
    Message(
        "assistant", 'Thought: I need a price.\nAction: price_feed\nAction Input: {"asset": "ABC", "quote": "USD"}'
    ),
    Message("user", 'Observation: {"price": "1.25"}'),
    Message("assistant", "Thought: I have it.\nFINAL ANSWER: 1.25"),
    Message("user", "When was XYZ-3 approved?"),
    Message("assistant", f"Thought: I search.\n{CALL}"),
)
"""An earlier conversation, after which a small model goes on in its form more often."""
WHOLE: Final = 10**6
WAYS: Final[tuple[tuple[str, int, tuple[Message, ...]], ...]] = (
    ("none", 700, ()),
    ("core-4", WHOLE, ()),
    ("core-4", 1500, SHOTS),
)
"""A set of tools, how many characters are left of each message, and what was said before."""
MOST_TURNS: Final = 2


class Astray:
    """A session that changes every request: a hint at its end, only the last characters of each message, and what was
    said before."""

    def __init__(self, model: LocalModel, hint: str, number: int, most: int, before: tuple[Message, ...]) -> None:
        self._session = model.session(RunKey(str(number), "clean", "tools", "react", number + 1), PolicyHints(""))
        self._hint, self._most, self._before = hint, most, before
        self.said: list[Completion] = []

    def complete(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], most_tokens: int | None = None
    ) -> Completion:
        """What the model says to the request as it was changed; tools are not offered, for its template drops them."""
        plain = [Message("user" if one.role == "tool" else one.role, one.content[-self._most :]) for one in messages]
        plain[-1] = Message("user", f"{plain[-1].content}\n\n{self._hint}".strip())
        plain[1:1] = self._before
        self.said.append(self._session.complete(plain, (), most_tokens))
        return self.said[-1]

    def close(self) -> None:
        """Let go of the model's session."""
        self._session.close()


def collected(name: str, part: int, parts: int) -> Iterator[Completion]:
    """Every completion of every run: tasks, agents, toolsets, temperatures and hints."""
    with FrozenWorld(open_world("mini-6")) as world:
        tasks = world.folder.suite.active()
        for at, (agent, warmth) in enumerate(product(AGENTS, WARMTHS)):
            if at % parts != part:
                continue
            completion = (24, 64, 48, 96)[(at + at // 4) % 4]
            model = LocalModel(
                find_local(f"{name},context=4096,temperature={warmth},completion={completion}", os.environ)
            )
            try:
                for number, ((tools, most, before), hint) in enumerate(product(WAYS, HINTS)):
                    task = world.folder.task(tasks[at % len(tasks)])
                    session = Astray(model, hint, at * 100 + number, most, before)
                    with toolset_in("clean", world.task(task), TOOL_SETS[tools], "", compact=True) as toolset:
                        resolve_agent(agent).run(asked(task), session, toolset, Budget(MOST_TURNS))
                    session.close()
                    yield from session.said
            finally:
                model.close()


def kind(text: str) -> str:
    """What is odd about a text, in a word or two; the first that fits."""
    action, words = find_action(text), text.split()
    if not text.strip():
        return "empty"
    if action is not None and action.tool not in CATALOG:
        return "unknown tool"
    if action is not None:
        return "call" if _json(action.arguments) else "malformed call"
    if re.search(r"tool_call|Action|\"name\"", text):
        return "call in no form"
    if "{" in text:
        return "object" if _json(text) else "broken JSON"
    if re.search(r"(?i)final answer", text):
        return "answer in no form" if not re.search(r"(?im)^final answer: .+\Z", text.strip()) else "answer"
    if re.search(r"(?i)\b(sorry|cannot|can't|as an ai|unable)\b", text):
        return "refusal"
    if re.search(r"[^\W\d_a-zA-Z]", text):
        return "other languages"
    if len(words) > 12 and len(set(words)) * 3 < len(words):
        return "repetition"
    return "numbers" if sum(map(str.isdigit, text)) * 3 > len(text) else "talk"


def _json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def chosen(count: int, said: Sequence[tuple[str, str]]) -> list[tuple[str, str, str]]:
    """So many different texts: one of each kind in turn, in the order they were said."""
    by_kind: dict[str, list[tuple[str, str]]] = {}
    for text, ended in dict(said).items():
        by_kind.setdefault(kind(text), []).append((ended, text))
    turns = (
        (name, *found[at])
        for at in range(max(map(len, by_kind.values()), default=0))
        for name, found in sorted(by_kind.items())
        if at < len(found)
    )
    return sorted(one for one, _ in zip(turns, range(count), strict=False))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["collect", name, raw, *part]:
            first, of = map(int, part or ("0", "1"))
            with Path(raw).open("a", encoding="utf-8") as file:
                for one in collected(name, first, of):
                    print(json.dumps([one.message.content, one.finish_reason]), file=file, flush=True)
        case ["choose", most, *raws]:
            lines = [line for raw in raws for line in Path(raw).read_text("utf-8").splitlines()]
            for row in chosen(int(most), [(text, ended) for text, ended in map(json.loads, lines)]):
                print(json.dumps(row, ensure_ascii=False))
        case _:
            sys.exit(__doc__)
