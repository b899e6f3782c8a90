"""The explorer of both chains of a told economy, in the shape of Etherscan's API, version 2.

    GET https://api.etherscan.io/v2/api?chainid=...&module=...&action=...

Nothing later than the newest block of the moment exists for it. Everything is read from the living nodes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final

from caia_replay.canonical import canonical_bytes
from caia_worldgen.artifact import Artifact
from caia_worldgen.market.book import MarketBook
from caia_worldgen.services import etherscan_account as account
from caia_worldgen.services import etherscan_event as event
from caia_worldgen.services import etherscan_node as node
from caia_worldgen.services.etherscan_form import Parameters, Refusal, address_in, checked_address, decimal, told
from caia_worldgen.services.etherscan_history import History, Rpc
from caia_worldgen.services.service import Answer, Asked
from caia_worldgen.stage import Stage

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


ORIGIN: Final = "https://api.etherscan.io"

_NO_CHAIN: Final = (
    "Missing or unsupported chainid parameter (required for v2 api), please see "
    "https://api.etherscan.io/v2/chainlist for the list of supported chainids"
)
_OLD: Final = (
    "You are using a deprecated V1 endpoint, switch to Etherscan API V2 using https://docs.etherscan.io/v2-migration"
)

Action = Callable[[History, Parameters, int], Any]

_ACTIONS: Final[dict[str, dict[str, Action]]] = {
    "account": {
        "balance": account.balance,
        "balancemulti": account.balancemulti,
        "tokenbalance": account.tokenbalance,
        "txlist": account.txlist,
        "txlistinternal": account.txlistinternal,
        "tokentx": account.tokentx,
        "tokennfttx": account.tokennfttx,
        "getminedblocks": account.getminedblocks,
    },
    "logs": {"getLogs": event.get_logs},
    "contract": {
        "getabi": get_abi,
        "getsourcecode": get_source_code,
        "getcontractcreation": get_contract_creation,
    },
    "transaction": {"getstatus": event.transaction_status, "gettxreceiptstatus": event.receipt_status},
    "block": {
        "getblockreward": event.block_reward,
        "getblockcountdown": event.block_countdown,
        "getblocknobytime": event.block_by_time,
    },
    "stats": {
        "tokensupply": account.tokensupply,
        "ethsupply": lambda history, parameters, head: node.ether_supply(history),
    },
    "gastracker": {"gasoracle": lambda history, parameters, head: node.gas_oracle(history, head)},
}
_PAID: Final = {
    "account": {"balancehistory", "tokenbalancehistory", "addresstokenbalance", "addresstokennftbalance",
                "addresstokennftinventory"},
    "stats": {"tokensupplyhistory", "ethdailyprice", "ethdailymarketcap", "dailytx", "dailynewaddress",
              "dailynetutilization", "dailyavghashrate", "dailytxnfee", "dailyavgnetdifficulty"},
    "block": {"dailyavgblocksize", "dailyblkcount", "dailyblockrewards", "dailyavgblocktime", "dailyuncleblkcount"},
    "gastracker": {"dailyavggaslimit", "dailygasused", "dailyavggasprice"},
    "token": {"tokenholderlist", "tokenholdercount", "topholders", "tokeninfo"},
}  # fmt: skip


class Etherscan:
    """One explorer for several chains, told apart by ``chainid``. ``refused`` are keys it calls invalid."""

    origins = (ORIGIN,)

    def __init__(self, stages: Sequence[Stage], book: MarketBook, refused: Collection[str] = ()) -> None:
        self.histories = {str(stage.chain_id): History(stage) for stage in stages}
        self._book = book
        self._refused = frozenset(refused)

    def answer(self, asked: Asked, now: int) -> Answer:
        """What it says at ``now``. Faults are told with status 200, as this vendor does."""
        parameters = {name.lower(): text for name, text in asked.parameters.items()}
        try:
            return Answer(200, self._content(asked.path, parameters, now))
        except Refusal as refusal:
            return Answer(200, refusal.content)

    def busy(self, asked: Asked) -> Answer:
        """This vendor has no 429."""
        return Answer(200, Refusal("Max rate limit reached").content)

    def _content(self, path: str, parameters: Parameters, now: int) -> Any:
        if path.rstrip("/") != "/v2/api":
            raise Refusal(_OLD)
        history = self.histories.get(parameters.get("chainid", ""))
        if history is None:
            raise Refusal(_NO_CHAIN)
        if parameters.get("apikey", "") in self._refused and self._refused:
            raise Refusal("Invalid API Key")
        module, action = parameters.get("module", ""), parameters.get("action", "")
        if action in _PAID.get(module, ()):
            raise Refusal(account.PAID)
        head = history.head(now)
        if module == "proxy":
            return node.node_answer(history, action, parameters, head)
        if module not in _ACTIONS:
            raise Refusal("Error! Missing Or invalid Module name")
        if (module, action) == ("stats", "ethprice"):
            return node.ether_price(self._book, now)
        if action not in _ACTIONS[module]:
            raise Refusal("Error! Missing Or invalid Action name")
        return _ACTIONS[module][action](history, parameters, head)
