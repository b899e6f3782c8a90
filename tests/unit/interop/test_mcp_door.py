"""Runs that external agents play over MCP: the SDK's own client, and clients that speak it badly."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from caia_replay.runner.plan import RunPlan
from caia_replay.store.run_folder import read_json
from caia_replay.store.world_folder import WorldFolder
from caia_replay.tools.catalog import CATALOG
from tests.tool_door import begin, facts, play, scripts, served

pytest.importorskip("mcp")
from mcp import Client, MCPError

ARMS = ("clean", "attacked")
T = TypeVar("T")


def speak(url: str, talk: Callable[[Client], Awaitable[T]]) -> T:
    """One MCP session of the SDK's client."""

    async def session() -> T:
        async with Client(f"{url}/mcp") as client:
            return await talk(client)

    return asyncio.run(asyncio.wait_for(session(), 600))


def text(result: Any) -> str:
    return str(result.content[0].text)


def test_the_calls_of_our_own_agent_have_its_outcome(
    folder: WorldFolder, react: tuple[Path, RunPlan], tmp_path: Path
) -> None:
    """Verdict and adoption are those of react in both arms, and certificates those of the same calls over HTTP."""
    with served(folder, tmp_path / "mcp", arms=ARMS) as door:
        for calls, answer in scripts(*react):

            async def talk(client: Client, calls: Any = calls, answer: str = answer) -> str:
                for tool, arguments in calls:
                    assert not (await client.call_tool(tool, json.loads(arguments))).is_error
                return text(await client.call_tool("submit_answer", {"answer": answer}))

            assert json.loads(speak(door.url, talk))["stop"] == "answered"
        over_mcp = door.finish()
    with served(folder, tmp_path / "http", arms=ARMS) as door:
        for script in scripts(*react):
            play(door.url, begin(door.url)["session"], script)
        over_http = door.finish()
    assert facts(over_mcp.out, react[1]) == facts(*react)
    digests = [read_json(done.out / "index.json")["digest"] for done in (over_mcp, over_http)]
    assert digests[0] == digests[1] is not None


def test_a_stranger_finds_everything(folder: WorldFolder, tmp_path: Path) -> None:
    """The SDK's client lists and calls every tool; the question is a prompt, a resource and a tool, all the same."""
    task = folder.suite.active()[0]

    async def talk(client: Client) -> list[Any]:
        tools = (await client.list_tools()).tools
        prompts, resources = (await client.list_prompts()).prompts, (await client.list_resources()).resources
        asked = [
            text(await client.call_tool("read_question", {})),
            (await client.get_prompt(prompts[0].name)).messages[0].content.text,  # type: ignore[union-attr]
            (await client.read_resource(resources[0].uri)).contents[0].text,  # type: ignore[union-attr]
        ]
        replies = [text(await client.call_tool(tool.name, {"nothing": "of it"})) for tool in tools[1:-1]]
        unknown = await client.call_tool("launch", {})
        wrong = await client.call_tool("submit_answer", {"answer": 3})
        done = await client.call_tool("submit_answer", {"answer": "3"})
        after = await client.call_tool("block_query", {})
        again = await client.call_tool("submit_answer", {"answer": "4"})
        return [tools, asked, replies, unknown, wrong, done, after, again]

    async def refused(client: Client) -> str:
        with pytest.raises(MCPError) as caught:
            await client.list_tools()
        return str(caught.value)

    with served(folder, tmp_path / "run", arms=("clean",), tasks=[task]) as door:
        tools, asked, replies, unknown, wrong, done, after, again = speak(door.url, talk)
        assert "nothing is left" in speak(door.url, refused)
        door.finish()
    assert [tool.name for tool in tools] == ["read_question", *CATALOG, "submit_answer"]
    assert all(tool.input_schema == CATALOG[tool.name].spec.parameters for tool in tools[1:-1])
    assert len(set(asked)) == 1 and folder.task(task).question in asked[0] and "answer form" in asked[0]
    assert all("invalid_arguments" in reply for reply in replies) and "unknown_tool" in text(unknown)
    assert wrong.is_error and json.loads(text(done))["stop"] == "answered"
    assert after.is_error and again.is_error and "has ended: answered" in text(after)


def test_a_closed_session_has_left(folder: WorldFolder, tmp_path: Path) -> None:
    """The run of a client that goes is client_gone; its session's id is worth nothing afterwards."""
    task = folder.suite.active()[0]
    with served(folder, tmp_path / "run", arms=("clean",), tasks=[task]) as door:
        speak(door.url, lambda client: client.call_tool("block_query", {"block": 1}))
        assert door.finish().summaries[0]["stops"] == {"client_gone": 1}
