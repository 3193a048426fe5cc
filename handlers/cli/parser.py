"""The commands and their arguments. `run` names the function that carries a command out."""

from __future__ import annotations

import argparse
import os
import sys
from importlib.metadata import version
from pathlib import Path
from typing import TypeAlias


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="assay", description="Audited answers of diagnosing agents.")
    parser.add_argument("--version", action="version", version=f"assay {version('assay')}")
    parser.add_argument("--config", metavar="FILE", help=_CONFIG)
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    _ask(commands)
    _session(commands)
    _sources(commands)
    _verdict(commands)
    _core(commands)
    _evaluation(commands)
    _readjudication(commands)
    _access(commands)
    _proof(commands)
    _key(commands)
    _operation(commands)
    _parked(commands)
    _projection(commands)
    _backup(commands)
    return parser


_Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def _add(commands: _Commands, name: str, run: str, help: str, *, offline: bool = False) -> argparse.ArgumentParser:
    """`run` names the function; it is given the arguments, and the settings unless it is `offline`."""
    parser = commands.add_parser(name, help=help, description=help)
    parser.set_defaults(run=f"handlers.cli.{run}", offline=offline)
    if not offline:
        parser.add_argument("--config", metavar="FILE", default=argparse.SUPPRESS, help=_CONFIG)
    return parser


_CONFIG = "settings and sources (TOML; default: ASSAY_CONFIG, or assay.toml in your configuration folder)"


def _json_flag(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="JSON on standard output, for programs")


def _ask(commands: _Commands) -> None:
    ask = _add(commands, "ask", "ask:run", "Ask a question; progress on standard error, the answer on standard output.")
    ask.add_argument("question", metavar="QUESTION")
    _source_flags(ask)
    ask.add_argument("--key", metavar="KEY", help="idempotency key: the same key and question give the same session")
    ask.add_argument(
        "--lang", choices=("zh", "en"), help="language of the answer (default: the question's, else the setting)"
    )
    _now(ask)
    _json_flag(ask)


_SOURCES = (
    ("--metrics", "URL|FILE", "Prometheus or Alertmanager, or a file with its answer"),
    ("--logs", "DIR", "folder of logs"),
    ("--knowledge", "DIR", "folder of Markdown documents"),
    ("--skills", "DIR", "folder of skills, each a folder with a SKILL.md"),
    ("--source", "NAME", "a source of the file that --config names"),
    (
        "--exclude",
        "GLOB",
        "leave these inputs of logs out, such as '*.gz' or 'audit/**'; the answer says so",
    ),
)


def _source_flags(parser: argparse.ArgumentParser) -> None:
    sources = parser.add_argument_group(
        "sources",
        "Each may be repeated, and all are asked. Without any, all sources of the file are; without a file the "
        "built-in sample scenario answers.",
    )
    for flag, metavar, text in _SOURCES:
        sources.add_argument(flag, metavar=metavar, action="append", default=[], help=text)
    sources.add_argument(
        "--log-zone", metavar="ZONE", help="of log stamps that name none: Asia/Shanghai, +08:00, UTC or local"
    )


def _sources(commands: _Commands) -> None:
    """What is read outside any session: they start no server and record nothing."""
    sources = commands.add_parser("sources", help="See what can be read of the sources.")
    verbs = sources.add_subparsers(title="commands", required=True, metavar="COMMAND")
    text = "Read sources whole, and say what was not read and why; exit 3: a search there could prove no absence."
    check = _add(verbs, "check", "sources:check", text)
    check.add_argument("names", nargs="*", metavar="NAME", help="a source of the file (default: all)")
    tool = commands.add_parser("tool", help="Try what a model may call.")
    verbs = tool.add_subparsers(title="commands", required=True, metavar="COMMAND")
    run = _add(verbs, "run", "tool:run", "Call a tool once and print what a model would be given, with its coverage.")
    run.add_argument("name", metavar="NAME", help="query_logs, query_metrics, lookup_knowledge, read_skill, …")
    run.add_argument("--arguments", metavar="JSON", default="{}", help="its arguments, an object (default: none)")
    _now(run)
    for parser in (check, run):
        _source_flags(parser)
        _json_flag(parser)


def _now(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--now", metavar="TIME", help="the session's clock (ISO 8601), instead of the wall clock")


def _session(commands: _Commands) -> None:
    session = commands.add_parser("session", help="List, show, follow, cancel and rate sessions.")
    verbs = session.add_subparsers(title="commands", required=True, metavar="COMMAND")
    listing = _add(verbs, "list", "session:list_sessions", "List sessions, newest first.")
    listing.add_argument("--limit", type=_positive, default=20, metavar="N")
    listing.add_argument("--status", choices=("running", "completed", "failed", "cancelled"))
    listing.add_argument("--verdict", choices=("PASS", "LOW_CONFID", "REJECT"))
    _json_flag(listing)
    for name, function, text in (
        ("show", "show", "Show one session: answer, evaluation, steps and tool calls."),
        ("tail", "tail", "Print a session's events until it ends."),
        ("cancel", "cancel", "Cancel a running session."),
        ("feedback", "feedback", "Say whether an answer was helpful or wrong."),
    ):
        parser = _add(verbs, name, f"session:{function}", text)
        _session_id(parser)
        _json_flag(parser)
        if name == "cancel":
            parser.add_argument("--reason", default="", metavar="TEXT")
        if name == "feedback":
            parser.add_argument("rating", choices=("helpful", "wrong"))
            parser.add_argument("text", nargs="?", default="", metavar="TEXT")
    replay = _add(verbs, "replay", "replay:replay_session", "Print a session's events, each with what it changed.")
    replay.add_argument("--at", type=_positive, metavar="N", help="the state as of event N instead")
    diff = _add(verbs, "diff", "replay:compare_rounds", "Compare round 1 of a session with round 2.")
    export = _add(verbs, "export", "export:run", "Write a session to a file that a third party verifies offline.")
    export.add_argument("-o", "--output", required=True, type=Path, metavar="FILE")
    export.add_argument("--sealed-only", action="store_true", help="without opened contents and the session's key")
    export.add_argument("--force", action="store_true", help="write over an existing file")
    erase = _add(verbs, "erase", "erase:run", "Destroy a session's texts for good; what was decided stays provable.")
    erase.add_argument("session", nargs="?", metavar="ID", help="session id, or the unique beginning of one")
    erase.add_argument("--older-than", metavar="AGE|TIME", help="every session that ended so long ago: 90d, or a time")
    erase.add_argument("--verdict", choices=("PASS", "LOW_CONFID", "REJECT", "NONE"), help="only of this one in force")
    erase.add_argument("--dry-run", action="store_true", help="only count them")
    erase.add_argument("--reason", default="", metavar="TEXT", help="why; kept in the access record")
    erase.add_argument("--yes", action="store_true", help="do not ask")
    hold = _add(verbs, "hold", "erase:hold", "Keep a session from being erased by any means, until it is released.")
    release = _add(verbs, "release", "erase:release", "Let a session that was held be erased again.")
    for parser in (hold, release):
        parser.add_argument("--reason", required=True, metavar="TEXT", help="why; kept in the access record")
    for parser in (replay, diff, export, hold, release):
        _session_id(parser)
    for parser in (replay, diff, export, erase, hold, release):
        _json_flag(parser)


def _session_id(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", metavar="ID", help="session id, or the unique beginning of one")


def _readjudication(commands: _Commands) -> None:
    text = "Decide recorded sessions again by today's rules and report what differs; exit 3: something does."
    again = _add(commands, "readjudicate", "readjudicate:run", text)
    again.add_argument("sessions", nargs="*", metavar="ID", help="session id, or the unique beginning of one")
    again.add_argument("--all", action="store_true", help="every session of the log")
    _since(again, "of sessions opened since then (default: ever)")
    again.add_argument("--threshold", metavar="X", help="with another threshold than the recorded one")
    _json_flag(again)


def _since(parser: argparse.ArgumentParser, help: str) -> None:
    parser.add_argument("--since", metavar="AGE|TIME", help=f"30s, 15m, 1h, 7d ago, or an ISO 8601 time: {help}")


def _access(commands: _Commands) -> None:
    access = commands.add_parser("access", help="Who looked at sessions, or changed what others see of them.")
    verbs = access.add_subparsers(title="commands", required=True, metavar="COMMAND")
    listing = _add(verbs, "list", "access:list_accesses", "List who showed, exported, overrode or erased what.")
    listing.add_argument("session", nargs="?", metavar="ID", help="session id, or the beginning of one (default: all)")
    _since(listing, "begin there (default: ever)")
    _json_flag(listing)


def _verdict(commands: _Commands) -> None:
    verdict = commands.add_parser("verdict", help="Follow the public stream of verdicts, compute one, or override one.")
    verbs = verdict.add_subparsers(title="commands", required=True, metavar="COMMAND")
    _case(_add(verbs, "compute", "core:compute_verdict", "Compute the verdict, the route and the answer of a round."))
    override = _add(verbs, "override", "override:run", "Put an auditor's verdict in place of the one in force.")
    _session_id(override)
    override.add_argument("verdict", choices=("PASS", "LOW_CONFID", "REJECT"))
    override.add_argument("--reason", required=True, metavar="TEXT", help="why; sealed in the session's record")
    _json_flag(override)
    watch = _add(verbs, "watch", "verdict:watch", "Print verdict events as they are published, until Ctrl-C.")
    watch.add_argument("--verdict", choices=("PASS", "LOW_CONFID", "REJECT", "NONE"))
    _since(watch, "begin there (default: now)")
    _json_flag(watch)
    republish = _add(verbs, "republish", "republish:run", "Publish what is missing on the stream of verdicts, once.")
    _since(republish, "of what was recorded since then (default: ever)")
    _json_flag(republish)
    _add(commands, "asyncapi", "asyncapi:run", "Print the AsyncAPI 3 document of the stream of verdicts.")


def _core(commands: _Commands) -> None:
    """The rules of the domain over given inputs; they need no server and no model."""
    gatekeeper = commands.add_parser("gatekeeper", help="Check quotations against recorded tool calls.")
    verbs = gatekeeper.add_subparsers(title="commands", required=True, metavar="COMMAND")
    _case(_add(verbs, "check", "core:check_gatekeeper", "Check every quotation of an Executor's output; exit 3: fail."))
    evidence = commands.add_parser("evidence", help="Extract what may be cited of a tool's output.")
    verbs = evidence.add_subparsers(title="commands", required=True, metavar="COMMAND")
    extract = _add(verbs, "extract", "core:extract", "Extract the evidence refs of a raw tool output.")
    extract.add_argument("--tool", metavar="NAME", help="the tool that gave it; lines may name their own (tool_name)")
    _case(extract)


def _case(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="?", default="-", metavar="FILE|-", help="the input (default: standard input)")
    parser.add_argument("--lines", action="store_true", help="JSON lines: one case in, one result out, in order")


def _evaluation(commands: _Commands) -> None:
    evaluation = _add(commands, "eval", "eval:run", "Run cases with expectations through the whole chain.")
    evaluation.add_argument("cases", metavar="DIR", type=Path, nargs="?", help="YAML files (default: the shipped ones)")
    evaluation.add_argument("--only", metavar="NAME", action="append", default=[], help="this case; may be repeated")
    evaluation.add_argument("--live", action="store_true", help="ask the configured model server; no scripted case")
    evaluation.add_argument("--junit", metavar="FILE", type=Path, help="write JUnit XML too")
    evaluation.add_argument("--keep", metavar="DIR", type=Path, help="keep the recorded sessions in this folder")
    _json_flag(evaluation)


def _proof(commands: _Commands) -> None:
    verify = _add(
        commands, "verify", "verify:run", "Check chains, signed heads and contents of the log; exit 3: faults."
    )
    verify.add_argument("session", metavar="ID", nargs="?", help="one session's events alone (default: the whole log)")
    verify.add_argument("--all", action="store_true", help="the whole log")
    verify.add_argument("--heads", metavar="FILE", type=Path, help="heads kept elsewhere; PostgreSQL may then be gone")
    verify.add_argument("--record", action="store_true", help="put the result into the access record")
    verify.add_argument("--key", metavar="PUB", type=Path, help="the public key that heads must be signed with (PEM)")
    _json_flag(verify)
    bundle = commands.add_parser("bundle", help="Check an exported session.")
    verbs = bundle.add_subparsers(title="commands", required=True, metavar="COMMAND")
    check = _add(verbs, "verify", "bundle:verify", "Verify an exported session offline; exit 3: refused.", offline=True)
    text = "Write a verified session as one page to read or print (HTML); exit 3: refused."
    report = _add(verbs, "report", "bundle:report", text, offline=True)
    report.add_argument(
        "-o", "--output", metavar="FILE", type=Path, help="a file that does not exist (default: output)"
    )
    for parser in (check, report):
        parser.add_argument("file", metavar="FILE", type=Path)
        parser.add_argument("--key", metavar="PUB", type=Path, required=True, help=_SIGNED_WITH)
    _json_flag(check)
    log = commands.add_parser("log", help="Set foreign messages of a stream aside.")
    verbs = log.add_subparsers(title="commands", required=True, metavar="COMMAND")
    isolate = _add(verbs, "isolate", "isolate:run", "Let reading and signing go on behind a message that is not ours.")
    isolate.add_argument("stream", choices=("ASSAY_EVENTS", "ASSAY_ACCESS", "ASSAY_VERDICTS", "ASSAY_PARKED"))
    isolate.add_argument("position", type=_positive, metavar="SEQ", help="its position in the stream")
    isolate.add_argument("--reason", required=True, metavar="TEXT", help="why; kept in the access record")
    _json_flag(isolate)
    heads = commands.add_parser("heads", help="What the log's heads are signed with.")
    verbs = heads.add_subparsers(title="commands", required=True, metavar="COMMAND")
    key = _add(verbs, "key", "key:show", "Print the public key (PEM), to be kept where the log is not.")
    _json_flag(key)


_SIGNED_WITH = "the public key it was signed with (PEM)"


def _key(commands: _Commands) -> None:
    key = commands.add_parser("key", help="The key that heads and bundles are signed with.")
    verbs = key.add_subparsers(title="commands", required=True, metavar="COMMAND")
    show = _add(verbs, "show", "key:show", "Print the public key (PEM), to be kept where the log is not.")
    rotate = _add(verbs, "rotate", "key:rotate", "Sign with a new key from now on, as the old one vouches.")
    rotate.add_argument("--reason", required=True, metavar="TEXT", help="why; kept in the access record")
    for parser in (show, rotate):
        _json_flag(parser)


def _operation(commands: _Commands) -> None:
    _add(commands, "serve", "serve:serve", "Run embedded servers and all workers until Ctrl-C.")
    _add(commands, "worker", "serve:work", "Run all workers against the servers that the settings name.")
    init = _add(commands, "init", "init:run", "Create streams, consumers and read models with the admin's credentials.")
    init.add_argument("--replicas", type=_positive, default=1, metavar="N", help="copies of each stream in a cluster")
    init.add_argument("--print-users", action="store_true", help="print the users' part of a nats-server configuration")
    doctor = _add(commands, "doctor", "doctor:run", "Check servers, streams, consumers and read models.")
    _json_flag(doctor)


def _parked(commands: _Commands) -> None:
    parked = commands.add_parser("parked", help="Verdicts that could not be published and wait to be looked at.")
    verbs = parked.add_subparsers(title="commands", required=True, metavar="COMMAND")
    listing = _add(verbs, "list", "parked:list_parked", "List them, oldest first.")
    listing.add_argument("--all", action="store_true", help="those that were published later or dropped, too")
    show = _add(verbs, "show", "parked:show", "Show one, and whether it could be published now.")
    requeue = _add(verbs, "requeue", "parked:requeue", "Publish one now, or every one that waits; at most once each.")
    drop = _add(verbs, "drop", "parked:drop", "Give one up: it is not published.")
    for parser in (show, requeue, drop):
        parser.add_argument("name", nargs="?" if parser is requeue else None, metavar="ID", help=_PARKED_ID)
    requeue.add_argument("--all", action="store_true", help="every one that waits")
    drop.add_argument("--reason", default="", metavar="TEXT", help="recorded with it; or say --yes")
    drop.add_argument("--yes", action="store_true", help="without a reason")
    for parser in (listing, show, requeue, drop):
        _json_flag(parser)


_PARKED_ID = "SESSION.VERSION as listed, or the unique beginning of one"


def _projection(commands: _Commands) -> None:
    projection = commands.add_parser("projection", help="Change read models while they are read.")
    verbs = projection.add_subparsers(title="commands", required=True, metavar="COMMAND")
    _json_flag(_add(verbs, "status", "projection:status", "Show every build: what serves, how far it is, is it sound."))
    for name, text in (
        ("rebuild", "Build the newest version beside the serving one, from the whole log; goes on where it was left."),
        ("verify", "Compare a rebuilt table with the serving one at one position; exit 3: they differ."),
        ("switch", "Let readers see what was rebuilt, all tables named at once."),
        ("rollback", "Let readers see what they saw before the last switch."),
        ("drop", "Remove a build that readers do not see."),
    ):
        parser = _add(verbs, name, f"projection:{name}", text)
        parser.add_argument("name", nargs=None if name == "drop" else "?", metavar="NAME", help="read model")
        if name == "drop":
            parser.add_argument("build", metavar="BUILD", help="as `status` shows it: v1, v1.2")
        else:
            parser.add_argument("--all", action="store_true", help="all read models")
        if name == "rebuild":
            parser.add_argument("--workers", type=_positive, default=os.cpu_count(), metavar="N", help="processes")
        if name == "switch":
            parser.add_argument("--force", action="store_true", help="also what was not verified, or differs")
        _json_flag(parser)


def _backup(commands: _Commands) -> None:
    backup = _add(commands, "backup", "backup:backup", "Write everything that cannot be computed again into a folder.")
    backup.add_argument("folder", metavar="DIR", type=Path, help="a folder that does not exist yet")
    backup.add_argument("--without-keys", action="store_true", help="leave the sessions' keys out")
    backup.add_argument("--with-signing-key", action="store_true", help="the private key that signs heads, too")
    restore = _add(commands, "restore", "backup:restore", "Restore a backup into servers that hold nothing yet.")
    restore.add_argument("folder", metavar="DIR", type=Path)
    keys = restore.add_mutually_exclusive_group()
    keys.add_argument("--keys", metavar="FILE", type=Path, help="the sessions' keys, if kept elsewhere")
    keys.add_argument("--without-keys", action="store_true", help="restore no keys")
    restore.add_argument("--erasures", metavar="FILE", type=Path, help="the ledger of erasures, if kept elsewhere")
    restore.add_argument("--without-erasures", action="store_true", help="there is none: erased texts may come back")
    restore.add_argument("--replicas", type=_positive, metavar="N", help="copies of each stream (default: as before)")
    for parser in (backup, restore):
        _json_flag(parser)


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= sys.maxsize):
        raise argparse.ArgumentTypeError(f"must be a whole number from 1, not {text!r}")
    return int(text)
