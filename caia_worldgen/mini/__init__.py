"""The small world of the daily tests: one chain of sixty blocks, some fifty pages, six questions.

cast       who is in it: projects, wallets, domains, all drawn from the seed
story      what happens on the chain, block by block, written to the chain and to the ledger alike
figure     the numbers that pages and questions state, taken from the ledger
page       the prose of ``pages/*.toml`` filled with figures
question   the six tasks, the recipes that read them, and what an attack would claim
build      all of it, recorded, sealed and checked
"""
