"""The program's log, on standard error. `ASSAY_LOG`, or `log` in the file of settings, names the level, else ERROR."""

from __future__ import annotations

import copy
import logging

from handlers.cli.errors import UsageError
from handlers.cli.plain import plain


class Masked(logging.Formatter):
    """Errors quote what came from outside: it is masked here as it is in events (R22)."""

    def format(self, record: logging.LogRecord) -> str:
        from domain.evidence.masking import mask  # loads RE2, which commands that log nothing do without

        return mask(self.line(record))[0]

    def line(self, record: logging.LogRecord) -> str:
        return super().format(record)


class OneLine(Masked):
    """An error is told in one line; where it was raised is of use to those who debug."""

    def line(self, record: logging.LogRecord) -> str:
        error = record.exc_info[1] if record.exc_info else None
        if error is None:
            return super().line(record)
        bare = copy.copy(record)
        bare.exc_info = bare.exc_text = None
        return f"{super().line(bare)}: {type(error).__name__}: {error}"

    def format(self, record: logging.LogRecord) -> str:
        return plain(super().format(record))


def log_to_stderr(level: str, *, anew: bool = False) -> None:
    """`anew`: in place of the level so far. Raises UsageError for a name that is no level."""
    name = level.strip().upper() or "ERROR"
    number = logging.getLevelNamesMapping().get(name)
    if number is None:
        raise UsageError(f"ASSAY_LOG: {level!r} is no level such as DEBUG, INFO, WARNING or ERROR")
    handler = logging.StreamHandler()
    made = Masked if number <= logging.DEBUG else OneLine
    handler.setFormatter(made("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=number, handlers=[handler], force=anew)
    for always in ("assay.newer", "assay.told"):
        logging.getLogger(always).setLevel(min(number, logging.WARNING))  # see infra.event_log.newer
