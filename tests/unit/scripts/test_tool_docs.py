import importlib.util
from pathlib import Path
from types import ModuleType

from caia_replay.tools.catalog import CATALOG, WALLET

SCRIPT = Path(__file__).parents[3] / "scripts" / "tool_docs.py"


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("tool_docs", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_what_the_catalog_says() -> None:
    """docs/tools.md is exactly what the generator writes today."""
    assert load().main(["--check"]) == 0


def test_the_page_names_every_tool_and_parameter() -> None:
    """Every tool has a section, and every parameter a row in it."""
    page = load().tools_page()
    for name, tool in (*CATALOG.items(), *WALLET.items()):
        section = page.split(f"## `{name}`")[1].split("## `")[0]
        assert all(f"| `{parameter}` |" in section for parameter in tool.spec.parameters["properties"])
