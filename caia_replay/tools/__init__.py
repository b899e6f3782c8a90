"""The tools an agent is given, the catalog that describes them, and the executor of gold chains."""
