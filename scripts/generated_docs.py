"""Pages made from the code: docs/tools.md from the catalog, docs/commands.md from the commands' own help, the stop
reasons in docs/agents.md, what tools cost in docs/models.md, and docs/python.md as examples/from-python.ipynb.

``python scripts/generated_docs.py`` writes them, ``--check`` compares. ``--tool-texts`` prints what tools are told
with, as JSON, for ``tool_tokens.mjs``, which counts.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from decimal import Decimal
from doctest import DocTestParser
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import click

from caia_replay.canonical import digest_bytes
from caia_replay.cli import main as caia_replay
from caia_replay.core.trajectory import STOPS
from caia_replay.models.registry import RegisteredModel, registered_models
from caia_replay.models.wire import tool_to_wire
from caia_replay.tools.catalog import CATALOG, WALLET, CatalogTool
from caia_replay.tools.compact import compact
from caia_replay.tools.defences import source_authority
from caia_replay.tools.tool_set import TOOL_SETS

DOCS = Path(__file__).parent.parent / "docs"
STOP_HEAD: Final = "| stop | when | at fault | scored | certificate | `--resume` plays it again | exit code |\n"
COST_HEAD: Final = "| model | 23 tools of its context | 23 in full | from the cache | 23 compact | `compact,core-4` |\n"
HEAD = """The tools an agent is given
===========================

Generated from the catalog by `scripts/generated_docs.py`. Names and categories are CAIA's; the parameters are ours.
Every parameter is sent; null takes the stated default. Numbers, lists and true or false are also read from a text that
holds them, and a list from one item alone. A call that the frozen world cannot answer comes back as
`{"error": {"type": "unavailable", ...}}`, in the same words for every tool, and is counted as a MISS; one that is wrong
in itself says what would be taken. Nothing after the task's moment is in any answer, but plans that were known by then.

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


SETS_HEAD: Final = """
## Sets of tools

`--tools` takes names of tools and of sets, commas between. `compact` beside them, or alone, tells of each tool in about
a third of the words ([local-models.md](local-models.md#what-tools-cost)). Without `--tools`, `local/smollm2-135m` plays
with `compact,core-4`, a tape with what it was recorded with, and any other model with all.

| set | tools |
|---|---|
"""
COMMANDS_HEAD: Final = """# Commands

Made from the commands' own help by `scripts/generated_docs.py`: `caia-replay NAME --help` says the same. In a checkout,
first put the command on your path: `. .venv/bin/activate`. Without a checkout: [install.md](install.md).

Most `make` targets are commands: `make replay MODEL=NAME` is `caia-replay replay --model NAME`, and so on for the other
options. `make -n TARGET` shows the command.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | a check ran and said no; for `replay`: no run was scored, or the world failed in some run |
| 2 | wrong usage or bad input: one line with what, where, the nearest match and the next command |
| 3 | stopped, or this machine or a model's endpoint failed: the last line names the command that goes on |

Every command checks the seals of the worlds it opens. A file that was changed, removed or added since ends it with exit
code 2. After a change you meant: `caia-replay lint --seal` ([lint.md](lint.md)).

"""


def commands_page() -> str:
    """The page: every command by its name, with its help and its options."""
    found = sorted(_commands(caia_replay, "caia-replay"))
    parts = [COMMANDS_HEAD, "| command | what it does |\n|---|---|\n"]
    for name, command in found:
        first = re.split(r"(?<=\.)\s", " ".join((command.help or "").split()))[0]
        link = f"[`{name.partition(' ')[2]}`](#{name.replace(' ', '-')})"
        parts.append(f"| {link} | {_said(first)} |\n")
    return "".join([*parts, *(_command(name, command) for name, command in found)])


def _commands(group: click.Group, name: str) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for each in group.list_commands(context):
        command = group.get_command(context, each)
        if isinstance(command, click.Group):
            yield from _commands(command, f"{name} {each}")
        elif command is not None:
            yield f"{name} {each}", command


def _command(name: str, command: click.Command) -> str:
    context = click.Context(command, info_name=name)
    lines = [f"\n## `{name}`\n", f"    {name} {' '.join(command.collect_usage_pieces(context))}\n"]
    paragraphs = re.split(r"\n\s*\n", (command.help or "").strip())
    lines += [f"{_said(' '.join(text.split()))}\n" for text in paragraphs]
    options = [one for one in command.params if isinstance(one, click.Option) and not one.hidden]
    if options:
        lines += ["| option | default | meaning |", "|---|---|---|"]
        lines += [_option(one, context) for one in options]
    return "\n".join(lines).rstrip("\n") + "\n"


def _option(option: click.Option, context: click.Context) -> str:
    extra = option.get_help_extra(context)
    value = "" if option.is_flag else f" {option.make_metavar(context)}".replace(" RANGE", "")
    default = "required" if option.required else f"`{extra['default']}`" if "default" in extra else ""
    variables = "".join(f" Or the environment variable `{name}`." for name in extra.get("envvars", ()))
    names = "`, `".join(option.opts)
    return f"| `{names}{value.replace('|', chr(92) + '|')}` | {default} | {_said(option.help or '')}{variables} |"


def _said(text: str) -> str:
    """Help as Markdown: pages are links, options and commands code, signs of HTML and tables themselves."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|")
    text = re.sub(r"docs/([a-z-]+\.md)", r"[\1](\1)", text)
    return re.sub(r"(?<![\w`-])(--[a-z][a-z-]*[a-z])", r"`\1`", text)


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
    parts.append(SETS_HEAD)
    parts += [
        f"| `{name}` | {', '.join(tools) or 'none: the condition no-tools'} |\n" for name, tools in TOOL_SETS.items()
    ]
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


def tool_texts() -> dict[str, str]:
    """What requests tell of tools, for some sets, in full and compact."""
    found = {}
    for name in ("all", "core-8", "core-4"):
        specs = [CATALOG[tool].spec for tool in TOOL_SETS[name]]
        for form, told in (("full", specs), ("compact", list(map(compact, specs)))):
            wire = [tool_to_wire(spec, strict=False) for spec in told]
            found[f"{name} {form}"] = json.dumps(wire, ensure_ascii=False, separators=(",", ":"))
    return found


def models_page(page: str) -> str:
    """docs/models.md with its table of what tools cost, by the counts of scripts/tool_tokens.json."""
    counted = json.loads(Path(__file__).with_name("tool_tokens.json").read_text("utf-8"))
    texts = {name: digest_bytes(text.encode()).removeprefix("sha256:") for name, text in tool_texts().items()}
    if texts != {name: found["sha256"] for name, found in counted["texts"].items()}:
        raise SystemExit("the tools are told otherwise than was counted; next: the top of scripts/tool_tokens.mjs")
    tokens = {name: found["tokens"] for name, found in counted["texts"].items()}
    rows = [COST_HEAD, "|---|---|---|---|---|---|\n"]
    for model in registered_models().values():
        rows.append(f"| {model.name} | {_share(model, tokens)} | {' | '.join(_costs(model, tokens))} |\n")
    before, _, rest = page.partition(COST_HEAD)
    return before + "".join(rows) + "\n" + rest.partition("\n\n")[2]


def _share(model: RegisteredModel, tokens: Mapping[str, int]) -> str:
    context = model.context_tokens
    return "unknown" if context is None else f"{100 * tokens['all full'] / context:.1f} %"


def _costs(model: RegisteredModel, tokens: Mapping[str, int]) -> list[str]:
    """Dollars of one turn's tools: 23 in full, where the cache serves them, 23 compact, and 4 compact."""
    price = model.price
    if price is None:
        return ["unknown"] * 4
    rates = ((price.prompt, "all full"), (price.cached, "all full"), (price.prompt, "all compact"))
    costs = [(rate, tokens[name]) for rate, name in (*rates, (price.prompt, "core-4 compact"))]
    return ["-" if rate is None else f"{Decimal(rate) * count / 1_000_000:.5f}" for rate, count in costs]


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "no"


def main(arguments: list[str]) -> int:
    """Write or check the pages; 1 when a check finds one stale."""
    if arguments == ["--tool-texts"]:
        print(json.dumps(tool_texts(), ensure_ascii=False))
        return 0
    models = DOCS / "models.md"
    agents = DOCS / "agents.md"
    pages = {DOCS / "tools.md": tools_page(), DOCS / "commands.md": commands_page()}
    pages[agents] = agents_page(agents.read_text(encoding="utf-8"))
    pages[models] = models_page(models.read_text(encoding="utf-8"))
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
