"""An endpoint that answers every chat completion after a while: three tool calls, one a turn, then an answer.

``python -m benchmarks.slow_endpoint SECONDS`` prints its port. A GET tells how many completions it gave, and how many
were asked for at once at most.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from benchmarks.harness import CALLS

_BACKLOG = 2_048


class SlowEndpoint:
    """It closes each connection after one reply."""

    def __init__(self, latency_s: float) -> None:
        self._latency_s = latency_s
        self._completions = self._now = self._most = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One request."""
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            if head.startswith(b"get"):
                reply: dict[str, Any] = {"completions": self._completions, "most": self._most}
            else:
                length = next(line for line in head.split(b"\r\n") if line.startswith(b"content-length:"))
                reply = await self._completion(await reader.readexactly(int(length.split(b":")[1])))
            data = json.dumps(reply).encode()
            top = (
                b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: %d\r\n\r\n"
            )
            writer.write(top % len(data) + data)
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # whoever asked has gone
        finally:
            writer.close()

    async def _completion(self, body: bytes) -> dict[str, Any]:
        self._completions += 1
        self._now += 1
        self._most = max(self._most, self._now)
        await asyncio.sleep(self._latency_s)
        self._now -= 1
        done = body.count(b'"role":"tool"')
        said: dict[str, Any] = {"role": "assistant", "content": "FINAL ANSWER: 42"}
        if done < len(CALLS):
            name, arguments = CALLS[done]
            call = {"name": name, "arguments": json.dumps(arguments)}
            said = {"role": "assistant", "tool_calls": [{"id": f"c{done}", "type": "function", "function": call}]}
        usage = {"prompt_tokens": 9_000, "completion_tokens": 30, "total_tokens": 9_030}
        head = {"id": "chatcmpl-bench", "object": "chat.completion", "created": 0, "model": "bench"}
        return {**head, "choices": [{"index": 0, "message": said, "finish_reason": "stop"}], "usage": usage}


async def main(latency_s: float) -> None:
    """Serve for ever."""
    server = await asyncio.start_server(SlowEndpoint(latency_s).serve, "127.0.0.1", 0, backlog=_BACKLOG)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1])))
