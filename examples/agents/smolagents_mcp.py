"""smolagents plays all runs of ``caia-replay serve tools``, over MCP: smolagents_mcp.py ADDRESS [MODEL]."""

import sys

import httpx2
from smolagents import MCPClient, OpenAIModel, ToolCallingAgent

address, model = (*sys.argv[1:], "gpt-4.1-mini")[:2]
options = {"structured_output": False, "adapter_kwargs": {"client_session_timeout_seconds": None}}


def play() -> None:
    """One MCP session is one run."""
    with MCPClient({"url": f"{address}/mcp", "transport": "streamable-http"}, **options) as tools:
        known = {tool.name: tool for tool in tools}
        question, submit = known.pop("read_question")(), known.pop("submit_answer")
        for one in (one for tool in known.values() for one in tool.inputs.values()):  # else it refuses null
            one.update(nullable=True, type="any" if "anyOf" in one else one["type"])
        agent = ToolCallingAgent(list(known.values()), OpenAIModel(model), max_tool_threads=1)
        submit(answer=str(agent.run(question, max_steps=50)))


while httpx2.get(address).json()["left"]:
    play()
