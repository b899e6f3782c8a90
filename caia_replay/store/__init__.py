"""The only code that reads or writes world, task and run folders."""
