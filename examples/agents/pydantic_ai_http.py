"""pydantic-ai plays all runs of ``caia-replay serve tools``: pydantic_ai_http.py ADDRESS [MODEL]."""

import sys

import httpx2
from pydantic_ai import Agent, Tool

address, model = (*sys.argv[1:], "openai-chat:gpt-4.1-mini")[:2]
client = httpx2.Client(base_url=address, timeout=None)


def play() -> None:
    """One session is one run."""
    run = client.post("/sessions").json()
    path = f"/sessions/{run['session']}"

    def tool(name: str, description: str, parameters: dict, **_: object) -> Tool:
        def call(**arguments: object) -> str:
            return client.post(f"{path}/tools/{name}", json=arguments).text

        return Tool.from_schema(call, name, description, parameters)

    said = Agent(model, tools=[tool(**one["function"]) for one in run["tools"]]).run_sync(run["question"])
    client.post(f"{path}/answer", json={"answer": said.output})


while client.get("/").json()["left"]:
    play()
