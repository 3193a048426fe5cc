"""The command `assay`. Each command's module is imported only when it runs, so that listing sessions stays quick."""

from __future__ import annotations

import importlib
import logging
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from handlers.cli.errors import explain
from handlers.cli.log_lines import log_to_stderr
from handlers.cli.parser import build_parser
from handlers.cli.plain import lines, shown_harmlessly

if TYPE_CHECKING:
    from infra.settings import Settings

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Exit status: 0 good, 1 failed, 2 unusable input, 3 a check found a difference."""
    before = os.umask(0o077)  # what a command writes is for its owner alone (R74)
    try:
        with shown_harmlessly():
            return _run(argv)
    finally:
        os.umask(before)


def _run(argv: Sequence[str] | None) -> int:
    arguments = build_parser().parse_args(argv)
    module_name, function_name = arguments.run.split(":")
    try:
        log_to_stderr(os.environ.get("ASSAY_LOG", ""))
        carry_out = getattr(importlib.import_module(module_name), function_name)
        status: int = carry_out(arguments) if arguments.offline else carry_out(arguments, _settings(arguments.config))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        logging.getLogger(__name__).debug("%s failed", function_name, exc_info=True)
        known = explain(error)
        print("\n".join(lines(f"assay: {known.message}")), file=sys.stderr)
        return known.status
    return status


def _settings(config: str | None) -> Settings:
    """Loaded only for commands that need them: a bundle is verified without any of their libraries."""
    from infra.settings import Settings, config_file

    settings = Settings.load(os.environ, config_file(os.environ, config))
    if settings.log and not os.environ.get("ASSAY_LOG", "").strip():
        log_to_stderr(settings.log, anew=True)
    return settings
