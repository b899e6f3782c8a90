"""The papers name every tool, and no other; every command and option has help."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click

TOOL_HEADING = re.compile(r"^#+ `?([a-z_]+)`?$", re.MULTILINE)


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


def test_every_command_says_what_it_does() -> None:
    """Each has help of whole sentences, and so has each of its options: docs/commands.md is made of them."""
    from caia_replay.cli import main

    faults = []
    for name, command in commands(main):
        helps = {name: command.help}
        helps |= {f"{name} {one.opts[0]}": one.help for one in command.params if isinstance(one, click.Option)}
        faults += [at for at, text in helps.items() if not (text or "").strip().endswith((".", ")"))]
    assert not faults, "no help, or no sentence:\n" + "\n".join(faults)


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
