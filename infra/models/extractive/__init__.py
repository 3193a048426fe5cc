"""The offline model `extractive`: plans by keywords, quotes evidence refs, classifies facts by overlap.

It speaks the chat completions protocol and knows its task by the shape of the first user message alone. It writes no
sentence whose names and numbers it has not read in a tool's answer, and the same request always gets the same reply.
It knows words of the trade (`vocabulary`), but no service, no figure and no source.
"""

MODEL_NAME = "extractive"
