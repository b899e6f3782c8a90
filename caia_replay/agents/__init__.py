"""Agents (scaffolds): loops between a question, a model and a toolset.

react    native tool calling until a final answer
prompt   prompt files, rendered strictly and known by digest
resolve  a name to its agent
"""
