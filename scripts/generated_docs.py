"""What is said by heart: all of docs/tools.md from the catalog, the table of stop reasons in docs/agents.md, and
docs/python.md as the notebook examples/from-python.ipynb.

``python scripts/generated_docs.py`` writes them, ``--check`` compares.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from doctest import DocTestParser
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from caia_replay.core.trajectory import STOPS
from caia_replay.tools.catalog import CATALOG, WALLET, CatalogTool
from caia_replay.tools.defences import source_authority

DOCS = Path(__file__).parent.parent / "docs"
STOP_HEAD: Final = "| stop | when | at fault | scored | certificate | `--resume` plays it again | exit code |\n"
HEAD = """The tools an agent is given
===========================

Generated from the catalog by `scripts/generated_docs.py`. Names and categories are CAIA's; the parameters are ours.
Every parameter is sent; null takes the stated default. Numbers, lists and true or false are also read from a text that
holds them, and a list from one item alone. A call that the frozen world cannot answer comes back as
`{"error": {"type": "not_recorded", ...}}` and is counted as a MISS; one that is wrong in itself says what would be
taken. Nothing after the task's moment is in any answer, but plans that were known by then.

Authority tells what an answer rests on: `authoritative` is the chain, an explorer, a market's or an index's own API;
`open-web` and `social` are what anybody may write; `computed` is what the model's own code printed.
"""
SOURCES: Final[Mapping[str, str]] = {
    "Market data": "CoinGecko's and Binance's recorded answers: prices, rankings, candles, futures.",
    "Technical analysis": "Computed from Binance's recorded candles.",
    "Discovery": "Recorded pages, ranked by the local index; CoinGecko's recorded trending list.",
    "Social": "Recorded posts, ranked by the local index, and X's recorded timelines.",
    "DeFi metrics": "DefiLlama's recorded answers; activity of a chain from its own recorded blocks.",
    "On-chain": "Anvil on the recorded state at the task's block, the chain's recorded tables, Etherscan's answers.",
    "Token analytics": "DefiLlama's recorded schedules.",
    "Execution": "CPython in a sandbox without network and files: computed, no data of the world.",
    "Wallet": "Anvil on the recorded state at the task's block, a node of the run's own that its transactions change.",
}
"""What the tools of a category answer from."""
BESIDE: Final = """Beside the 23, and only in tasks that are carried out ([execution.md](execution.md)).
The 23 tell the recorded world at the task's moment: what a wallet did is seen by these three alone.
"""


def tools_page() -> str:
    """The page: the tools by category, then each with its description, its example and its parameters."""
    groups = [(name, list(tools)) for name, tools in groupby(CATALOG.values(), key=lambda tool: tool.category)]
    wallet = [("Wallet", list(WALLET.values()))]
    parts = [HEAD, "\n| category | tools | authority |\n|---|---|---|\n"]
    for category, tools in (*groups, *wallet):
        links = ", ".join(f"[{tool.name}](#{tool.name})" for tool in tools)
        parts.append(
            f"| {category} | {links} | {', '.join(sorted({source_authority(tool.spec) for tool in tools}))} |\n"
        )
    for category, tools in groups:
        parts.append(f"\n## {category}\n\nServed from: {SOURCES[category]}\n")
        parts += [_section(tool) for tool in tools]
    for category, tools in wallet:
        parts.append(f"\n## {category}\n\n{BESIDE}\nServed from: {SOURCES[category]}\n")
        parts += [_section(tool) for tool in tools]
    return "".join(parts)


def _section(tool: CatalogTool) -> str:
    lines = [
        "",
        f"### `{tool.name}`",
        "",
        f"{tool.category}, {source_authority(tool.spec)}.",
        "",
        _with_examples(tool),
        "",
    ]
    lines += ["| parameter | type | default | meaning |", "|---|---|---|---|"]
    for parameter, schema in tool.spec.parameters["properties"].items():
        field = tool.arguments.model_fields[parameter]
        default = "required" if field.is_required() else f"`{json.dumps(field.default, ensure_ascii=False)}`"
        meaning = schema.get("description", "").replace("|", "\\|")
        lines.append(f"| `{parameter}` | {_type(schema)} | {default} | {meaning} |")
    return "\n".join(lines) + "\n"


def _with_examples(tool: CatalogTool) -> str:
    """A tool's description with each of its examples as a block of JSON."""
    first, *others = tool.spec.description.split("Example: ")
    parts = [first.strip()]
    for text in others:
        flat = " ".join(text.split())
        example, end = json.JSONDecoder().raw_decode(flat)
        parts.append(f"```json\n{json.dumps(example, ensure_ascii=False)}\n```")
        parts += [flat[end:].strip()] if flat[end:].strip() else []
    return "\n\n".join(parts)


def _type(schema: Mapping[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_type(option) for option in schema["anyOf"])
    if "enum" in schema:
        return " or ".join(f"`{json.dumps(value)}`" for value in schema["enum"])
    if schema.get("type") == "array":
        inner = _type(schema["items"])
        return f"list of ({inner})" if " or " in inner else f"list of {inner}"
    return str(schema["type"])


def agents_page(page: str) -> str:
    """docs/agents.md with its table of stop reasons as the code has it."""
    rows = [STOP_HEAD, "|---|---|---|---|---|---|---|\n"]
    for name, stop in STOPS.items():
        scored = "yes" if name == "answered" else "yes, as wrong" if stop.scored else "no"
        facts = (stop.fault or "nobody", scored, _yes(stop.certified), _yes(stop.resumable), str(stop.exit_code))
        rows.append(f"| `{name}` | {stop.when} | {' | '.join(facts)} |\n")
    before, _, rest = page.partition(STOP_HEAD)
    return before + "".join(rows) + "\n" + rest.partition("\n\n")[2]


def notebook(page: str) -> str:
    """A page with examples of Python as a notebook (nbformat 4.5): each example is a cell with what it gives."""
    cells: list[dict[str, Any]] = []

    def add(kind: str, text: str, **more: Any) -> None:
        lines = text.strip("\n").splitlines(keepends=True)
        cells.append({"cell_type": kind, "id": f"cell-{len(cells)}", "metadata": {}, "source": lines, **more})

    for number, part in enumerate(re.split(r"^```(?:python)?\n", page, flags=re.MULTILINE)):
        if number % 2 == 0:
            add("markdown", re.sub(r"\]\((?!\.\.|http)", "](../docs/", part))
            continue
        for example in DocTestParser().get_examples(part):
            told = {"data": {"text/plain": example.want.splitlines(keepends=True)}, "metadata": {}}
            outputs = [{"output_type": "execute_result", "execution_count": None, **told}] if example.want else []
            add("code", example.source, execution_count=None, outputs=outputs)
    whole = {"cells": cells, "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "no"


def main(arguments: list[str]) -> int:
    """Write or check the pages; 1 when a check finds one stale."""
    agents = DOCS / "agents.md"
    pages = {DOCS / "tools.md": tools_page(), agents: agents_page(agents.read_text(encoding="utf-8"))}
    pages[DOCS.parent / "examples" / "from-python.ipynb"] = notebook((DOCS / "python.md").read_text(encoding="utf-8"))
    for path, page in pages.items():
        if arguments != ["--check"]:
            path.write_text(page, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != page:
            print(
                f"{path.parent.name}/{path.name} is stale; next: .venv/bin/python scripts/generated_docs.py",
                file=sys.stderr,
            )
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
