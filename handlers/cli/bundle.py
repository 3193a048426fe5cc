"""`assay bundle verify`: is an exported session what was recorded and signed? Needs no server and no settings (R61)."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from functools import partial

from handlers.cli.errors import UsageError
from infra.audit.bundle_check import check_bundle
from infra.audit.signing_key import public_key
from infra.audit.strict_json import Refused

LONGEST_LINE = 1 << 28
"""Bytes. A longer line is read in part, and so refused as one that is cut short; no export writes one."""


def report(arguments: argparse.Namespace) -> int:
    """Exit 0 for a good bundle, 3 for one that is refused, of which nothing is written, 2 if a file cannot be read."""
    from handlers.cli.bundle_report import page_of, write

    try:
        key = public_key(arguments.key)
        with arguments.file.open("rb") as file:
            lines = list(iter(partial(file.readline, LONGEST_LINE), b""))
        found = check_bundle(lines, key)
    except Refused as refused:
        print(f"assay: {arguments.file} is refused: {refused}", file=sys.stderr)
        return 3
    except OSError as error:
        raise UsageError(str(error)) from None
    write(page_of(lines, found, key), arguments.output)
    return 0


def verify(arguments: argparse.Namespace) -> int:
    """Exit 0 for a good bundle, 3 for one that is refused, 2 if a file cannot be read."""
    try:
        key = public_key(arguments.key)
        with arguments.file.open("rb") as lines:
            found = check_bundle(iter(partial(lines.readline, LONGEST_LINE), b""), key)
    except Refused as refused:
        if arguments.json:
            print(json.dumps({"verified": False, "refused": str(refused)}))
        print(f"assay: {arguments.file} is refused: {refused}", file=sys.stderr)
        return 3
    except OSError as error:
        raise UsageError(str(error)) from None
    if arguments.json:
        print(json.dumps({"verified": True, **asdict(found)}, default=str))
    else:
        shown = f"{found.opened} shown as they were sealed, {found.sealed} sealed"
        erased = ", erased since" if found.erased else ""
        print(f"session   {found.session_id}{erased}")
        print(f"events    {found.events}, chained; contents: {shown}")
        print(f"log       {found.head.log_id}")
        print(f"head      over {found.head.size} events, signed {found.head.time.isoformat()}")
    return 0
