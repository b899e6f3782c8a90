"""One sound answer of every kind: what a new kind of answer adds its own to."""

from __future__ import annotations

from caia_replay.core.task import AnswerKind, AnswerSpec, Column

ADDRESS, HASH = "0x52908400098527886E0F7030069857D2E4169EE7", "0x" + "ab" * 32
COLUMNS = (Column("pool", "text", key=True), Column("day", "date"), Column("swaps", "number"))
POOLS = (Column("Pool", "text", key=True), Column("TVL", "number", unit="USD", tolerance_percent="1"))
SPECS: dict[AnswerKind, AnswerSpec] = {
    spec.kind: spec
    for spec in (
        AnswerSpec("number", ("1234.5",), "ETH"),
        AnswerSpec("address", (ADDRESS,)),
        AnswerSpec("hash", (HASH,)),
        AnswerSpec("date", ("2024-03-01",)),
        AnswerSpec("text", ("Tornado Cash",)),
        AnswerSpec("text_set", ("Aave", "Compound")),
        AnswerSpec("boolean", ("yes",)),
        AnswerSpec("time", ("2024-03-01T04:05:06Z",)),
        AnswerSpec("text_list", ("Aave", "Compound")),
        AnswerSpec("url", ("https://docs.example.org/a?b=1",)),
        AnswerSpec("abi", ("transfer(address,uint256)",)),
        AnswerSpec("table", ("Aave | 5",), columns=(Column("name", "text", True), Column("tvl", "number"))),
    )
}
"""Every kind that a verifier judges, in its plainest form."""

SOUND: dict[AnswerKind, AnswerSpec] = SPECS | {
    "number": AnswerSpec("number", ("-12.5",), "%", "caia-2026", aliases=("parts",), direction="up", bound="upper"),
    "address": AnswerSpec("address", ("0x" + "ab" * 20,), chain="ethereum"),
    "date": AnswerSpec("date", ("2024-06-04",)),
    "time": AnswerSpec("time", ("2024-04-01T09:10:35Z",), tolerance_seconds=60),
    "text": AnswerSpec("text", ("Lantern Finance",), aliases=("Lantern",)),
    "text_set": AnswerSpec("text_set", ("Arda", "Bresk, the old", "Corvo")),
    "text_list": AnswerSpec("text_list", ("Arda", "Bresk", "Arda")),
    "boolean": AnswerSpec("boolean", ("false premise",)),
    "url": AnswerSpec("url", ("https://a.example/x?y=1",), aliases=("https://b.example/",)),
    "abi": AnswerSpec("abi", ("transfer(address,uint256)",), aliases=("0xa9059cbb",)),
    "table": AnswerSpec("table", ("WETH/USDC | 12500000", "DAI/USDT | 9000000"), columns=POOLS),
    "open": AnswerSpec("open", ("It was bridged twice. " * 90,)),
}
"""Every kind there is, with every field that its kind reads where it reads any."""
