"""Fabricating operators: quotations of words that the item does not hold, or that say there something else (R24).

Edits that leave a true quotation behind are dropped (truth.py), but for the weak operators: what they leave stands in
the item, and deceives nevertheless by what it leaves out.
"""

# isort: off
# Each module enlists its operators, and the tables show them in this order.
from tests.bench.quotations.fabricating.edits import FABRICATING
from tests.bench.quotations.fabricating import numbers, names, negations, words, order, records, ellipsis
# isort: on

__all__ = ["FABRICATING", "ellipsis", "names", "negations", "numbers", "order", "records", "words"]
