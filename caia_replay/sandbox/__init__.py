"""A Python of its own for a model's code: CPython compiled to WebAssembly, with no way out of it.

limits       what a call may use, and what a call gave
module       the interpreter: found, proven, compiled
compiled_file  what was compiled, kept on disk
wasi         everything that the guest can ask of its host
output       what it writes, as far as it is shown
guest        one life of the interpreter, on a thread of its own
interpreter  what callers use: calls in order, and a new life after a broken one
driver       the loop inside the guest
"""
