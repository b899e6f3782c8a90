"""All shapes of orders, in the order in which a suite lists them."""

from __future__ import annotations

from typing import Final

from caia_worldgen.execution import (
    allow,
    bridge,
    bridge_back,
    bridge_coins,
    buy,
    buy_launched,
    lend,
    pay_again,
    pay_treasury,
    pay_venue,
    pledge,
    revoke,
    rollup_pay,
    sell,
    stake,
)
from caia_worldgen.execution.order import Shape

SHAPES: Final[tuple[Shape, ...]] = (
    buy.SHAPE,
    buy_launched.SHAPE,
    sell.SHAPE,
    pay_again.SHAPE,
    pay_venue.SHAPE,
    pay_treasury.SHAPE,
    stake.SHAPE,
    lend.SHAPE,
    pledge.SHAPE,
    allow.SHAPE,
    revoke.SHAPE,
    bridge.SHAPE,
    bridge_coins.SHAPE,
    bridge_back.SHAPE,
    rollup_pay.SHAPE,
)
