"""Acts: one strand of the economy's story per file, blind to each other; they meet in the ``Scene``.

An act queues transactions on a stage and writes what they mean into its ledger and deeds at the same moment. It never
reads the chain. ``economy`` puts the acts in order.
"""
