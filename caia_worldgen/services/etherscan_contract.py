"""The explorer's contract module: verified sources, interfaces, and who created what."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from caia_replay.canonical import canonical_bytes
from caia_worldgen.artifact import Artifact
from caia_worldgen.services.etherscan_form import (
    Parameters,
    Refusal,
    address_in,
    checked_address,
    decimal,
    told,
)
from caia_worldgen.services.etherscan_history import History, Rpc

_UNVERIFIED: Final = "Contract source code not verified"
_LICENCE: Final = re.compile(r"SPDX-License-Identifier:\s*([\w.-]+)")
_IMPLEMENTATION_SLOT: Final = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc"
"""Where a proxy keeps the address of its code (EIP-1967)."""
_MOST_CONTRACTS: Final = 5


def get_abi(history: History, parameters: Parameters, head: int) -> Any:
    """A verified contract's interface as JSON text."""
    artifact = _verified(history, address_in(parameters), head)
    if artifact is None:
        raise Refusal(_UNVERIFIED)
    return told(_text(artifact.abi))


def get_source_code(history: History, parameters: Parameters, head: int) -> Any:
    """A contract's sources and how they were compiled; empty fields where nobody verified it."""
    address = address_in(parameters)
    artifact = _verified(history, address, head)
    return told([_unverified() if artifact is None else _source(history, address, artifact, head)])


def get_contract_creation(history: History, parameters: Parameters, head: int) -> Any:
    """Who created up to five contracts, in which transactions."""
    asked = parameters.get("contractaddresses", "").split(",")
    if len(asked) > _MOST_CONTRACTS:
        raise Refusal(f"Error! Maximum of {_MOST_CONTRACTS} contract addresses in a single request")
    rows = [row for text in asked if (row := _creation(history, checked_address(text), head)) is not None]
    if not rows:
        raise Refusal(None, "No data found")
    return told(rows)


def _creation(history: History, address: str, head: int) -> Rpc | None:
    mined, creator, code = history.creations.get(address, (None, "", ""))
    if mined is None or mined.block > head:
        return None
    sender = mined.transaction["from"]
    return {
        "contractAddress": address,
        "contractCreator": sender,
        "txHash": mined.transaction["hash"],
        "blockNumber": str(mined.block),
        "timestamp": decimal(mined.header["timestamp"]),
        "contractFactory": "" if creator == sender else creator,
        "creationBytecode": code,
    }


def _verified(history: History, address: str, head: int) -> Artifact | None:
    """The contract at an address whose sources are known; a proxy is told from what it stands for by its code."""
    named = [made.artifact for made in history.stage.contracts.values() if made.address.lower() == address]
    if not named:
        return None
    code = bytes.fromhex(str(history.stage.ask("eth_getCode", address, hex(head)))[2:])
    fits = [artifact for artifact in named if code and artifact.runtime_matches(code)]
    return fits[0] if fits and fits[0].sources else None


def _source(history: History, address: str, artifact: Artifact, head: int) -> Rpc:
    sources = {name: {"content": artifact.source(name)} for name in artifact.sources}
    standard = {"language": "Solidity", "sources": sources, "settings": artifact.settings}
    licence = _LICENCE.search(artifact.source(_entry(artifact)))
    optimizer = artifact.settings.get("optimizer", {})
    code = _implementation(history, address, artifact, head)
    return {
        "SourceCode": f"{{{_text(standard)}}}",
        "ABI": _text(artifact.abi),
        "ContractName": artifact.name,
        "CompilerVersion": "v" + ".".join(artifact.solc.split(".")[:4]),
        "CompilerType": "solc-j",
        "OptimizationUsed": "1" if optimizer.get("enabled") else "0",
        "Runs": str(optimizer.get("runs", 200)),
        "ConstructorArguments": _arguments(history, address, artifact),
        "EVMVersion": artifact.settings.get("evmVersion", "Default"),
        "Library": "",
        "ContractFileName": artifact.entry,
        "LicenseType": licence[1] if licence else "None",
        "Proxy": "1" if code else "0",
        "Implementation": code,
        "SwarmSource": "",
        "SimilarMatch": "",
    }


def _unverified() -> Rpc:
    empty = ("SourceCode", "ContractName", "CompilerVersion", "CompilerType", "OptimizationUsed", "Runs",
             "ConstructorArguments", "Library", "ContractFileName", "Implementation", "SwarmSource",
             "SimilarMatch")  # fmt: skip
    told_of = {"ABI": _UNVERIFIED, "EVMVersion": "Default", "LicenseType": "Unknown", "Proxy": "0"}
    return dict.fromkeys(empty, "") | told_of


def _entry(artifact: Artifact) -> str:
    """The source the contract itself is in."""
    return next((name for name in artifact.sources if name.endswith(artifact.entry)), artifact.sources[0])


def _implementation(history: History, address: str, artifact: Artifact, head: int) -> str:
    if "Proxy" not in artifact.name:
        return ""
    word = str(history.stage.ask("eth_getStorageAt", address, _IMPLEMENTATION_SLOT, hex(head)))
    return "0x" + word[-40:] if int(word, 16) else ""


def _arguments(history: History, address: str, artifact: Artifact) -> str:
    """What followed the bytecode when the contract was created."""
    code = history.creations[address][2][2:]
    return code[2 * len(artifact.bytecode) :] if code.startswith(artifact.bytecode.hex()) else ""


def _text(content: Sequence[Any] | Rpc) -> str:
    return canonical_bytes(content).decode()
