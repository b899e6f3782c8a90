"""How a plan finds a contract: by the list of addresses in a project's documentation, or by a token's name."""

from __future__ import annotations

from caia_worldgen.questions.expression import Plan


def contracts_page(site: str) -> str:
    """Where a project lists its contracts."""
    return f"https://docs.{site}/contracts"


def address_on(plan: Plan, name: str, site: str, label: str) -> str:
    """The address in the line that has a label, as an expression; the list is searched for, then read."""
    found = plan.call("web_search", query=f"{name} contracts addresses token site:docs.{site}/contracts", limit=3)
    page = plan.call("url_fetching", url=f"{found}.results.0.url")
    return f"match({page}.text, '- (?=[^\\n]{{0,90}}(?i:{label}))[^\\n]{{0,70}}?(0x[0-9a-f]{{40}})')"


def token_address(plan: Plan, asset: str, chain: str) -> str:
    """A token's contract on one chain, as an expression, by what the explorer's and the market's lists say."""
    found = plan.call("supply_query", asset=asset)
    return f"first(where({found}.on_chain, 'chain', '{chain}')).contract"


def view(
    plan: Plan, contract: str, function: str, chain: str, block: str | None = None, arguments: tuple[str, ...] = ()
) -> str:
    """A view function of a contract that an expression names; the reference to its result."""
    return plan.call(
        "data_query", contract=f"= {contract}", function=function, arguments=arguments, block=block, chain=chain
    )
