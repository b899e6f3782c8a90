"""The command that lists models."""

from __future__ import annotations

import os
from pathlib import Path

import click


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Everything that is known of each, as JSON.")
def models(as_json: bool) -> None:
    """List the models that can be asked for, and whether their keys are set.

    One line each: provider, the variable of its key, context, price with its day. Then the policies, and the tapes
    found from here (docs/models.md).
    """
    from caia_replay.models.address import shown_address
    from caia_replay.models.registry import registered_models
    from caia_replay.models.resolve import has_key, policy_about, policy_names
    from caia_replay.report.model_table import TABLE_WIDTH, ModelList, model_json, model_lines, model_table, other_lines
    from caia_replay.report.terminal import printed_json
    from caia_replay.store.tape_folder import tape_about, tape_names

    listed = ModelList(
        [(model, has_key(model, os.environ)) for model in registered_models().values()],
        {name: policy_about(name) for name in policy_names()},
        {name: tape_about(name, Path.cwd()) for name in tape_names(Path.cwd())},
        shown_address(os.environ.get("OPENAI_BASE_URL", "").strip()),
    )
    if as_json:
        print(printed_json(model_json(listed)))
        return

    from rich.console import Console

    console = Console()
    if console.is_terminal and console.width >= TABLE_WIDTH:
        console.print(model_table(listed))
    else:
        print("\n".join(model_lines(listed)))
    print("\n".join(other_lines(listed)))
