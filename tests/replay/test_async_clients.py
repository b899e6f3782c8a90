"""Recordings of other people, answered again through clients that wait: AsyncOpenAI, aiohttp, and web3 over aiohttp."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any

import httpx2
import openai
import pytest
from web3 import AsyncHTTPProvider, AsyncWeb3

from caia_replay.cassette.aiohttp_adapter import replay_client_session
from caia_replay.cassette.cassette import Cassette, Interaction
from caia_replay.cassette.recordings import Cursor, Recordings
from caia_replay.cassette.transport import AsyncReplayTransport
from caia_replay.errors import Miss
from caia_replay.recording.import_vcr import import_vcr

pytestmark = [pytest.mark.real, pytest.mark.check]

RPC = "https://rpc.example"


def parsed(body: bytes) -> list[Any]:
    """The JSON of a completion, or of each event of a streamed one."""
    if not body.startswith(b"data:"):
        return [json.loads(body)]
    lines = (line.removeprefix(b"data: ") for line in body.splitlines() if line.startswith(b"data: "))
    return [json.loads(line) for line in lines if line != b"[DONE]"]


async def completed(client: openai.AsyncOpenAI, question: dict[str, Any]) -> tuple[bool, list[Any]]:
    """Whether a question's completion was streamed, and it or its events as JSON."""
    reply = await client.chat.completions.create(**question)
    if isinstance(reply, openai.AsyncStream):
        return True, [part.to_dict(mode="json") async for part in reply]
    return False, [reply.to_dict(mode="json")]


def test_the_openai_client_gets_the_recorded_completions(real_data: Path, tmp_path: Path) -> None:
    """Every recorded completion comes back through AsyncOpenAI as it was, streamed ones event by event."""
    outcomes = list(import_vcr(real_data / "model-cassettes", tmp_path))
    assert [done.refusal for done in outcomes if done.refusal] == []

    async def work() -> Counter[bool]:
        kinds: Counter[bool] = Counter()
        for done in outcomes:
            cassette = Cassette.open((tmp_path / done.name).with_suffix(".json"))
            transport = AsyncReplayTransport(Recordings([cassette]), Cursor())
            async with httpx2.AsyncClient(transport=transport) as http:
                for item in cassette.interactions:
                    base_url, found, _ = item.uri.partition("/chat/completions")
                    if not found:
                        continue
                    client = openai.AsyncOpenAI(api_key="any", base_url=base_url, http_client=http, max_retries=0)
                    is_streamed, got = await completed(client, json.loads(item.request_body))
                    assert got == parsed(item.body), done.name
                    kinds[is_streamed] += 1
        return kinds

    assert asyncio.run(work()) == {False: 76, True: 64}


def samples_of(folder: Path) -> dict[tuple[str, ...], Any]:
    """Method and words of the parameters, both from the file's name, to the result; one of each question."""
    found = {}
    for path in sorted(folder.glob("*web3_response.*.json")):
        kind, *words = path.stem.rpartition("web3_response.")[2].split("_")
        found[(f"{kind}_{words[0]}", *filter(None, words[1:]))] = json.loads(path.read_text("utf-8"))["result"]
    return found


def test_web3_reads_recorded_json_rpc(real_data: Path) -> None:
    """AsyncWeb3 gets every recorded result under its own counting ids, batches too, and a miss for all else."""
    samples = samples_of(real_data / "rpc-samples")
    assert len(samples) == 45

    def call(number: int, method: str, *parameters: str) -> dict[str, Any]:
        return {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}

    def recorded(question: Any, answer: Any) -> Interaction:
        asked, told = json.dumps(question).encode(), json.dumps(answer).encode()
        return Interaction("POST", RPC, asked, {}, 200, "OK", {"content-type": ("application/json",)}, told)

    def reply(number: int, result: Any) -> dict[str, Any]:
        return {"jsonrpc": "2.0", "id": number, "result": result}

    first, second, *_ = samples.items()
    batch = [call(1, *first[0]), call(2, *second[0])], [reply(2, second[1]), reply(1, first[1])]
    items = [recorded(call(7_000, *question), reply(7_000, result)) for question, result in samples.items()]

    async def work(recordings: Recordings) -> None:
        provider = AsyncHTTPProvider(RPC)
        await provider.cache_async_session(replay_client_session(recordings, Cursor()))
        for at, ((method, *parameters), result) in enumerate(samples.items()):
            assert await provider.make_request(method, parameters) == reply(at, result)
        both = await provider.make_batch_request(
            [(method, parameters) for method, *parameters in (first[0], second[0])]
        )
        assert [one["result"] for one in both] == [first[1], second[1]]
        web3 = AsyncWeb3(provider)
        assert await web3.eth.chain_id == int(samples[("eth_chainId",)], 16)
        with pytest.raises(Miss, match="eth_blockNumber"):
            await web3.eth.block_number
        await provider.disconnect()

    asyncio.run(work(Recordings([Cassette("rpc", "", (*items, recorded(*batch)))])))


def test_every_real_interaction_replays_through_aiohttp(real_data: Path, tmp_path: Path) -> None:
    """Asked again in order, each of the 184 gives the status, the body and the type that was recorded."""

    async def work() -> int:
        count = 0
        for done in import_vcr(real_data / "http-cassettes", tmp_path):
            cassette = Cassette.open((tmp_path / done.name).with_suffix(".json"))
            async with replay_client_session(Recordings([cassette]), Cursor()) as session:
                for item in cassette.interactions:
                    sent = item.request_body or None
                    async with session.request(item.method, item.uri, data=sent, allow_redirects=False) as reply:
                        assert (reply.status, await reply.read()) == (item.status, item.body), done.name
                        types = [line for name in item.headers if name.lower() == "content-type"
                                 for line in item.headers[name]]  # fmt: skip
                        assert reply.headers.getall("content-type", []) == types, done.name
                    count += 1
        return count

    assert asyncio.run(work()) == 184
