"""Searches made by chance: a folder of logs, a question, and what must come of it (R68, R69, R71).

Written from the requirements and from what is publicly known of log formats, without looking at any parser.
`python -m tests.long.searches --cases 20000 --seed 1` runs them and prints the table.
"""

from tests.long.searches.case import Case, Expected, Outcome
from tests.long.searches.generate import generate

__all__ = ["Case", "Expected", "Outcome", "generate"]
