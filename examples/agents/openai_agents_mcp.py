"""openai-agents plays all runs of ``caia-replay serve tools``, over MCP: openai_agents_mcp.py ADDRESS [MODEL]."""

import asyncio
import sys

import httpx2
from agents import Agent, Runner, set_default_openai_api, set_tracing_disabled
from agents.mcp import MCPServerStreamableHttp, create_static_tool_filter

address, model = (*sys.argv[1:], "gpt-4.1-mini")[:2]
set_default_openai_api("chat_completions")
set_tracing_disabled(True)
ours = create_static_tool_filter(blocked_tool_names=["read_question", "submit_answer"])
options = {"tool_filter": ours, "client_session_timeout_seconds": None}


async def play() -> None:
    """One MCP session is one run. The SDK keeps its connections, and so one event loop holds them all."""
    while httpx2.get(address).json()["left"]:
        async with MCPServerStreamableHttp({"url": f"{address}/mcp"}, **options) as server:
            question = (await server.call_tool("read_question", {})).content[0].text
            said = await Runner.run(Agent("agent", model=model, mcp_servers=[server]), question, max_turns=50)
            await server.call_tool("submit_answer", {"answer": said.final_output})


asyncio.run(play())
