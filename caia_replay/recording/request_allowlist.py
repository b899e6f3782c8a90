"""Which requests of a published folder may be made: a stranger wrote it, and the requests go out from here with keys.

A request is made when a provider knows it as a question of its own, over https at the address that provider has; or
when its host was named by the one who rehydrates. What changes something at the origin is never made.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from ipaddress import ip_address
from typing import Final

import httpx2

from caia_replay.canonical import strict_json
from caia_replay.cassette.cassette import Interaction
from caia_replay.core.provider import HttpRequest, Provider
from caia_replay.errors import BadInput, CaiaReplayError, one_line
from caia_replay.providers.endpoint import provider_of
from caia_replay.providers.plain_http.provider import NAME as PLAIN_HTTP
from caia_replay.recording.wire import origin, place

# Signed by whoever wrote the folder, such a call would be sent from here.
_CHANGING_CALL: Final = re.compile(
    r"send_?\w*transaction|send_?\w*bundle|request_?airdrop|^(?:personal|admin|miner|debug_set)", re.IGNORECASE
)
_READS: Final = ("GET", "HEAD", "POST")
_PRIVATE_ENDS: Final = (".local", ".localhost", ".internal", ".intranet", ".lan", ".home", ".corp", ".onion", ".arpa")


def refuse_unaskable(
    items: Iterable[Interaction],
    providers: Sequence[Provider],
    *,
    host_map: Mapping[str, str],
    allow: Collection[str],
    where: object,
) -> None:
    """Raise ``BadInput`` for the first request that may not be made; it names how many there are.

    ``allow`` names hosts that are asked although no provider speaks for them, still over https alone and by name;
    ``host_map`` leads origins to a server of this machine, as a ``Recorder`` has it.
    """
    mapped = origins_of(host_map)
    allowed = {host.lower() for host in allow}
    refused = [(item, why) for item in items if (why := _fault(item, providers, mapped, allowed))]
    if refused:
        item, why = refused[0]
        more = f"; {len(refused)} such requests in all" if len(refused) > 1 else ""
        raise BadInput(
            f"{item.method} {_address(item)} may not be asked: {why}{more}; nothing was asked",
            where=where,
            next_command="name its host with allow, if you trust it and the folder's maker",
        )


def origins_of(host_map: Mapping[str, str]) -> set[str]:
    """The origins that a host map leads from, spelled as ``wire.origin`` does."""
    return {origin(httpx2.URL(canonical)) for canonical in host_map}


def _fault(item: Interaction, providers: Sequence[Provider], mapped: set[str], allowed: set[str]) -> str:
    """Why a request may not be made; empty when it may."""
    try:
        url = httpx2.URL(item.uri)
    except (ValueError, TypeError, httpx2.InvalidURL):
        return "its address cannot be taken apart"
    if item.method not in _READS:
        return f"{item.method[:20]} does more than read"
    if any(_CHANGING_CALL.search(call) for call in (url.params.get("action", ""), *_calls(item.request_body))):
        return "it would change something at the origin"
    if origin(url) in mapped:
        return ""
    why = _public_fault(url)
    if why or url.host.lower() in allowed:
        return why
    request = HttpRequest(item.method, item.uri, item.request_body)
    try:
        speaker = provider_of(providers, request)
        if speaker.name == PLAIN_HTTP:
            return "no provider speaks for it"
        speaker.family(request)
    except (CaiaReplayError, ValueError, TypeError, KeyError) as fault:
        return f"it is no question that its provider knows ({one_line(str(fault))[:120]})"
    return ""


def _public_fault(url: httpx2.URL) -> str:
    if url.scheme != "https":
        return "only https is asked"
    if url.port is not None:
        return "only the usual port is asked"
    host = url.host.lower().rstrip(".")
    try:
        ip_address(host)
        return "its host is a number, not a name"
    except ValueError:
        pass
    last = host.rpartition(".")[2]
    if "." not in host or host.endswith(_PRIVATE_ENDS) or last.isdigit() or last.startswith("0x"):
        return "its host is no public name"
    return ""


def _calls(body: bytes) -> list[str]:
    """The methods of a JSON-RPC request; a body that only looks like JSON is one that changes something."""
    if body.lstrip()[:1] not in (b"{", b"["):
        return []
    try:
        value = strict_json(body)
    except ValueError:
        return ["sendTransaction"]
    calls = value if isinstance(value, list) else [value]
    return [str(call.get("method", "")) for call in calls if isinstance(call, dict)]


def _address(item: Interaction) -> str:
    try:
        return place(item.uri)[:200]
    except (ValueError, TypeError, httpx2.InvalidURL):
        return "an address"
