"""`assay` in this process, which spares its start, for what does not depend on being a process of its own."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from unittest.mock import patch

from handlers.cli import main


def in_process(arguments: Sequence[str], environment: Mapping[str, str]) -> tuple[int, str, str]:
    """Exit status, standard output, standard error. The command sees this environment and no other.

    `os.environ` is exchanged, not changed: a change would go through to C's `environ`, which other threads of a test
    may be reading (libpq does, at each connection), and crash them.
    """
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err), patch.object(os, "environ", dict(environment)):
        try:
            status = main(arguments)
        except SystemExit as end:  # argparse
            status = int(end.code or 0)
    return status, out.getvalue(), err.getvalue()
