"""Folders as servers leave them, with things planted and things that are not there, asked as an on-call engineer asks.

Written from the public formats of the programs, without looking at any parser.
`python -m tests.long.practical` asks everything and prints the table.
"""
