"""All shapes of orders, in the order in which a suite lists them; ``shapes.toml`` says all but who writes them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from caia_worldgen.execution import approve, crossing, deposit, documentation, pay, rollup_order, trade
from caia_worldgen.execution.order import Shape, Writer
from caia_worldgen.execution.story import shape_tables

_WRITERS: Final[tuple[Writer, ...]] = (
    trade.buy, trade.buy_launched, trade.sell, pay.pay_again, pay.pay_venue, pay.pay_treasury, deposit.stake,
    deposit.lend, deposit.pledge, approve.allow, approve.revoke, crossing.bridge, crossing.bridge_coins,
    rollup_order.bridge_back, rollup_order.rollup_pay,
)  # fmt: skip
_TABLES: Final = shape_tables(Path(__file__).with_name("shapes.toml"), vars(documentation))

SHAPES: Final[tuple[Shape, ...]] = tuple(
    Shape(orders=orders, **_TABLES[orders.__name__.replace("_", "-")]) for orders in _WRITERS
)
