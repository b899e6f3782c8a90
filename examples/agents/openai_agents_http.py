"""openai-agents plays all runs of ``caia-replay serve tools``: openai_agents_http.py ADDRESS [MODEL]."""

import sys

import httpx2
from agents import Agent, FunctionTool, Runner, set_default_openai_api, set_tracing_disabled

address, model = (*sys.argv[1:], "gpt-4.1-mini")[:2]
client = httpx2.Client(base_url=address, timeout=None, headers={"content-type": "application/json"})
set_default_openai_api("chat_completions")
set_tracing_disabled(True)


def play() -> None:
    """One session is one run."""
    run = client.post("/sessions").json()
    path = f"/sessions/{run['session']}"

    def tool(name: str, description: str, parameters: dict, **_: object) -> FunctionTool:
        async def call(_: object, arguments: str) -> str:
            return client.post(f"{path}/tools/{name}", content=arguments).text

        return FunctionTool(name, description, parameters, call)

    agent = Agent("agent", model=model, tools=[tool(**one["function"]) for one in run["tools"]])
    client.post(f"{path}/answer", json={"answer": Runner.run_sync(agent, run["question"], max_turns=50).final_output})


while client.get("/").json()["left"]:
    play()
