"""The tools an agent is given, the catalog that describes them, and the executor of gold chains.

    catalog         every tool by its name, with schema and authority class
    tool_context    what a tool may ask: providers, forks, search, clock
    interface       the explorer, and the interfaces of contracts
    asset           the asset that a ticker, name, id or address means
    chain_height    the block that an argument means
    warehouse       SQL over tables that no node has
    solana          a transaction of a chain that has no fork
    defences        filters between an agent and its tools
    gold            the executor of gold chains

Most other files hold the tools of one subject, under their names or near them.
"""
