"""langgraph plays all runs of ``caia-replay serve tools``: langgraph_http.py ADDRESS [MODEL]."""

import sys

import httpx2
from langchain_core.tools import StructuredTool
from langchain_openai import ChatOpenAI
from langgraph.prebuilt import create_react_agent

address, model = (*sys.argv[1:], "gpt-4.1-mini")[:2]
client = httpx2.Client(base_url=address, timeout=None)


def play() -> None:
    """One session is one run."""
    run = client.post("/sessions").json()

    def tool(name: str, description: str, parameters: dict, **_: object) -> StructuredTool:
        def call(**arguments: object) -> str:
            return client.post(f"/sessions/{run['session']}/tools/{name}", json=arguments).text

        return StructuredTool(name=name, description=description, args_schema=parameters, func=call)

    agent = create_react_agent(ChatOpenAI(model=model), [tool(**one["function"]) for one in run["tools"]])
    said = agent.invoke({"messages": [("user", run["question"])]}, {"recursion_limit": 100})
    client.post(f"/sessions/{run['session']}/answer", json={"answer": said["messages"][-1].text})


while client.get("/").json()["left"]:
    play()
