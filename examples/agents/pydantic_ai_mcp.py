"""pydantic-ai plays all runs of ``caia-replay serve tools``, over MCP: pydantic_ai_mcp.py ADDRESS [MODEL]."""

import asyncio
import sys

import httpx2
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset

address, model = (*sys.argv[1:], "openai-chat:gpt-4.1-mini")[:2]


async def play() -> None:
    """One MCP session is one run."""
    while httpx2.get(address).json()["left"]:
        async with MCPToolset(f"{address}/mcp") as server:
            question = await server.direct_call_tool("read_question", {})
            tools = server.filtered(lambda _, tool: tool.name not in ("read_question", "submit_answer"))
            said = await Agent(model, toolsets=[tools]).run(question)
            await server.direct_call_tool("submit_answer", {"answer": said.output})


asyncio.run(play())
