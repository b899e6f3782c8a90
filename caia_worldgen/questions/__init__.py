"""Composed questions: typed expressions over a told story, with their truth, gold chain, recipe and wording."""
