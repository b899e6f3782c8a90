"""docs/tools.md from the catalog: ``python scripts/tool_docs.py`` writes it, ``--check`` compares."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from caia_replay.tools.catalog import CATALOG

PATH = Path(__file__).parent.parent / "docs" / "tools.md"
HEAD = """The tools an agent is given
===========================

Generated from the catalog by `scripts/tool_docs.py`. Names and categories are CAIA's; the parameters are ours.
Every parameter is sent; those that may be null have the stated default. A call that the frozen world cannot answer
comes back as `{"error": {"type": "not_recorded", ...}}` and is counted as a MISS.
"""


def tools_page() -> str:
    """The page: one section per tool with its description and its parameters."""
    return HEAD + "".join(_section(name) for name in CATALOG)


def _section(name: str) -> str:
    tool = CATALOG[name]
    lines = ["", f"## `{name}`", "", f"{tool.category}, {tool.spec.authority}.", "", tool.spec.description, ""]
    lines += ["| parameter | type | default | meaning |", "|---|---|---|---|"]
    for parameter, schema in tool.spec.parameters["properties"].items():
        field = tool.arguments.model_fields[parameter]
        default = "required" if field.is_required() else f"`{field.default!r}`".replace("None", "null")
        lines.append(f"| `{parameter}` | {_type(schema)} | {default} | {schema.get('description', '')} |")
    return "\n".join(lines) + "\n"


def _type(schema: Mapping[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_type(option) for option in schema["anyOf"])
    if schema.get("type") == "array":
        return f"list of ({_type(schema['items'])})"
    return str(schema["type"])


def main(arguments: list[str]) -> int:
    """Write or check the page; 1 when a check finds it stale."""
    page = tools_page()
    if arguments == ["--check"]:
        stale = not PATH.is_file() or PATH.read_text(encoding="utf-8") != page
        if stale:
            print("docs/tools.md is stale; next: .venv/bin/python scripts/tool_docs.py", file=sys.stderr)
        return int(stale)
    PATH.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
