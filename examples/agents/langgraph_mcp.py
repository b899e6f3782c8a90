"""langgraph plays all runs of ``caia-replay serve tools``, over MCP: langgraph_mcp.py ADDRESS [MODEL]."""

import asyncio
import sys

import httpx2
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools
from langchain_openai import ChatOpenAI
from langgraph.prebuilt import create_react_agent

address, model = (*sys.argv[1:], "gpt-4.1-mini")[:2]
client = MultiServerMCPClient({"caia-replay": {"transport": "streamable_http", "url": f"{address}/mcp"}})


async def play() -> None:
    """One MCP session is one run; ``client.get_tools()`` would open a session, and so a run, for each call."""
    while httpx2.get(address).json()["left"]:
        async with client.session("caia-replay") as session:
            question = (await session.call_tool("read_question", {})).content[0].text
            tools = await load_mcp_tools(session)
            lookups = [tool for tool in tools if tool.name not in ("read_question", "submit_answer")]
            agent = create_react_agent(ChatOpenAI(model=model), lookups)
            said = await agent.ainvoke({"messages": [("user", question)]}, {"recursion_limit": 100})
            await session.call_tool("submit_answer", {"answer": said["messages"][-1].text})


asyncio.run(play())
