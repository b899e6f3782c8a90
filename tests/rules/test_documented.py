"""The papers name every command and tool, and no other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click

COMMAND_HEADING = re.compile(r"^#+ `caia-replay ([a-z -]+)`$", re.MULTILINE)
TOOL_HEADING = re.compile(r"^#+ `?([a-z_]+)`?$", re.MULTILINE)
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


def commands(group: click.Group, prefix: str = "") -> Iterator[tuple[str, click.Command]]:
    """Every command below a group with its full name, groups themselves left out."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, f"{prefix}{name} ")
        elif command is not None:
            yield f"{prefix}{name}", command


def sections(text: str, heading: re.Pattern[str]) -> dict[str, str]:
    """Heading name to the text below it, up to the next heading that matches."""
    found = list(heading.finditer(text))
    ends = [match.start() for match in found[1:]] + [len(text)]
    return {match[1]: text[match.end() : end] for match, end in zip(found, ends, strict=True)}


def test_every_command_is_documented(root: Path) -> None:
    """docs/commands.md has one section per command and names exactly the options the command has."""
    from caia_replay.cli import main

    real = dict(commands(main))
    written = sections((root / "docs" / "commands.md").read_text("utf-8"), COMMAND_HEADING)
    faults = [f"{name}: not in docs/commands.md" for name in sorted(set(real) - set(written))]
    faults += [f"{name}: in docs/commands.md and no command" for name in sorted(set(written) - set(real))]
    for name in sorted(set(real) & set(written)):
        options = {text for option in real[name].params for text in option.opts if text.startswith("--")} - {"--help"}
        told = set(OPTION.findall(written[name]))
        faults += [f"{name} {option}: not in docs/commands.md" for option in sorted(options - told)]
        faults += [f"{name} {option}: in docs/commands.md and no option" for option in sorted(told - options)]
    assert not faults, "\n".join(faults)


def test_every_tool_is_documented(root: Path) -> None:
    """docs/tools.md has one section per tool of the catalog or a wallet, which names each of its parameters."""
    from caia_replay.tools.catalog import CATALOG, WALLET

    tools = {**CATALOG, **WALLET}
    written = sections((root / "docs" / "tools.md").read_text("utf-8"), TOOL_HEADING)
    faults = [f"{name}: not in docs/tools.md" for name in sorted(set(tools) - set(written))]
    faults += [f"{name}: in docs/tools.md and no tool" for name in sorted(set(written) - set(tools))]
    for name in sorted(set(tools) & set(written)):
        parameters = tools[name].spec.parameters["properties"]
        faults += [f"{name} {key}: not in docs/tools.md" for key in sorted(parameters) if key not in written[name]]
    assert not faults, "\n".join(faults)
