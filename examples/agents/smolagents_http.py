"""smolagents plays all runs of ``caia-replay serve tools``: smolagents_http.py ADDRESS [MODEL]."""

import sys

import httpx2
from smolagents import OpenAIModel, Tool, ToolCallingAgent

address, model = (*sys.argv[1:], "gpt-4.1-mini")[:2]
client = httpx2.Client(base_url=address, timeout=None)


class Lookup(Tool):
    """One tool of a session. Null is a default everywhere; smolagents refuses it unless it is told so."""

    output_type, skip_forward_signature_validation = "string", True

    def __init__(self, session: str, name: str, description: str, parameters: dict, **_: object) -> None:
        self.session, self.name, self.description = session, name, description
        self.inputs = {key: {"type": "any"} | one | {"nullable": True} for key, one in parameters["properties"].items()}
        super().__init__()

    def forward(self, **arguments: object) -> str:  # noqa: D102
        return client.post(f"/sessions/{self.session}/tools/{self.name}", json=arguments).text


while client.get("/").json()["left"]:
    run = client.post("/sessions").json()
    tools = [Lookup(run["session"], **one["function"]) for one in run["tools"]]
    said = ToolCallingAgent(tools, OpenAIModel(model), max_tool_threads=1).run(run["question"], max_steps=50)
    client.post(f"/sessions/{run['session']}/answer", json={"answer": str(said)})
