"""Stock clients of DefiLlama against loopback: the package from npm driven by node, and what answers them in replay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from caia_replay.core.provider import HttpReply, HttpRequest, Provider, Recorded
from caia_replay.errors import Miss
from caia_replay.loopback import Receive, Send, read_body
from caia_replay.origin.services.defillama import DefiLlamaService, origin_of
from tests.provider_law import of_family

# The package is left as it is: only where the network leads is changed, as a host map would.
LED = """
const [url, source] = [process.argv[2], process.argv[3]];
const ask = globalThis.fetch;
globalThis.fetch = (asked, how) => {
  const to = new URL(asked);
  return ask(url + to.pathname + to.search, how);
};
const { DefiLlama } = await import("@defillama/api");
const free = new DefiLlama(), paid = new DefiLlama({ apiKey: "SCRUBBED" });
const found = {};
for (const [name, run] of Object.entries(eval(source)(free, paid))) {
  try { found[name] = await run(); }
  catch (fault) { found[name] = { fault: fault.name, status: fault.statusCode, said: fault.response }; }
}
console.log(JSON.stringify(found));
"""


class Replay:
    """An ASGI application that answers through a provider, out of recordings. A miss is a 599."""

    origins = DefiLlamaService.origins

    def __init__(self, provider: Provider, recordings: Sequence[Recorded], now: int) -> None:
        self._provider, self._recordings, self._now = provider, recordings, now

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        await read_body(receive)
        path, query = scope["raw_path"].decode("ascii"), scope["query_string"].decode("ascii")
        origin = origin_of([part for part in path.split("/") if part])
        request = HttpRequest(scope["method"], f"{origin}{path}{'?' if query else ''}{query}")
        try:
            reply = self._provider.narrow(of_family(self._provider, self._recordings, request), request, self._now)
        except Miss as miss:
            reply = HttpReply(599, {}, str(miss).encode())
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": reply.status, "headers": headers})
        await send({"type": "http.response.body", "body": reply.body})
