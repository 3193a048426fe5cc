"""Entries of logs in every usual format, and of text in none (R18, R68).

`read_entries(lines, context)` gives them in order; what they mean for a search is decided in the domain.
"""

from infra.log_reading.formats.context import Context
from infra.log_reading.formats.reader import EntryReader, read_entries

__all__ = ["Context", "EntryReader", "read_entries"]
