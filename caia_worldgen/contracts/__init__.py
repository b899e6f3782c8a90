"""The contracts of the synthetic chains, and their integer arithmetic told a second time in Python.

*.sol          our own, thin over OpenZeppelin; scripts/compile_contracts.py compiles them
catalog.json   what else is compiled or taken from npm packages, and with which settings
artifacts      one file per contract: what it is deployed and called with, and what it was compiled from
sources        the packages' sources, by compiler version, as each contract needs them
curve          Launchpad: what a purchase gives and a sale pays
lending        LendingMarket: interest, shares, health, liquidation
staking        StakingPool: rewards
swap           Uniswap v2 and v3: what a swap gives
vesting        VestingSchedule: what has vested when
merkle         AirdropDistributor: root and proofs

The second telling is what a scenario's ledger computes with; tests hold it against the chain, digit by digit.
"""
