"""Whether worlds and tasks hold, in one place for every command that asks.

lint        worlds and snapshots checked as data, every fault one finding
task_check  one task checked by its author, before it is sealed
verify      every gold chain executed offline and judged
conditions  what several of these ask of a task
"""
