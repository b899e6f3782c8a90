"""The report: one HTML file that holds finished runs and everything that is needed to look at them.

source        one run folder, read: what was played, its figures, its conversations
figures       what is worked out over several runs: models told apart, lies, cost, dose, gap
findings      the sentences of the first screen: what was run, whether it counts, what to look at next
pack          conversations with each text once, and everything compressed
page          all of it in one file, with the shell that ``frontend/`` builds
"""
