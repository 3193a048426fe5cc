"""`assay backup DIR` and `assay restore DIR`: everything that cannot be computed again (R67)."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path

from handlers.application import prepare_database
from handlers.cli.errors import UsageError
from infra.backup.manifest import SIGNING_KEY, Manifest
from infra.backup.restore import Source, opened_backup, restore_backup, with_erasures
from infra.backup.take import take_backup
from infra.embedded import running_servers_async
from infra.settings import Settings
from infra.streams import EVENTS


def backup(arguments: argparse.Namespace, settings: Settings) -> int:
    """The service may run meanwhile."""
    folder = _absolute(arguments.folder)
    for path in (folder, folder.with_name(folder.name + ".partial")):
        if path.exists():
            raise UsageError(f"{path} exists already")
    if not folder.parent.is_dir():
        raise UsageError(f"there is no folder {folder.parent}")
    if arguments.with_signing_key and not settings.signing_key.exists():
        raise UsageError(f"there is no signing key {settings.signing_key}")
    manifest = asyncio.run(_backup(arguments, settings, folder))
    summary = {"folder": str(folder), **_summary(manifest)}
    print(json.dumps(summary) if arguments.json else f"{folder}  {summary['events']} events, {_keys(manifest)}")
    return 0


async def _backup(arguments: argparse.Namespace, settings: Settings, folder: Path) -> Manifest:
    async with running_servers_async(settings) as servers:
        return await take_backup(
            settings,
            servers,
            folder,
            keys=not arguments.without_keys,
            signing_key=arguments.with_signing_key,
            tell=_tell,
        )


def restore(arguments: argparse.Namespace, settings: Settings) -> int:
    """Into servers that hold nothing yet; nothing else may run meanwhile."""
    folder = _absolute(arguments.folder)
    source = opened_backup(folder, keys=arguments.keys, without_keys=arguments.without_keys)
    source = with_erasures(source, settings, arguments.erasures, without=arguments.without_erasures)
    asyncio.run(_restore(arguments, settings, source))
    steps = _next_steps(source, settings)
    if arguments.json:
        print(json.dumps({"folder": str(folder), **_summary(source.manifest), "next": steps}))
    else:
        print(f"restored {source.manifest.streams[EVENTS].last_position} events; now:")
        print("\n".join(f"- {step}" for step in steps))
    return 0


async def _restore(arguments: argparse.Namespace, settings: Settings, source: Source) -> None:
    async with running_servers_async(settings) as servers:
        await restore_backup(source, settings, servers, replicas=arguments.replicas, tell=_tell)
        await prepare_database(servers)


def _next_steps(source: Source, settings: Settings) -> list[str]:
    steps = []
    if source.manifest.key_id and not settings.signing_key.exists():
        steps.append(
            f"put the signing key {source.manifest.key_id} at {settings.signing_key}: the backup has no {SIGNING_KEY}"
        )
    if source.keys is None:
        steps.append(f"put the sessions' keys into {settings.key_dir}: without them their content reads as erased")
    return [
        *steps,
        "assay serve (or workers): it builds the read models and carries unfinished sessions on",
        "assay verify --all",
        f"the erasures of {settings.erasures_file} are recorded in the log by the first worker"
        if source.erasures
        else "erase again what was erased after the backup: no ledger of erasures was given",
    ]


def _summary(manifest: Manifest) -> dict[str, object]:
    return {
        "made_at": manifest.made_at.isoformat(),
        "events": manifest.streams[EVENTS].last_position,
        "keys": manifest.keys,
    }


def _keys(manifest: Manifest) -> str:
    return "without keys" if manifest.keys is None else f"{manifest.keys} keys"


def _absolute(folder: Path) -> Path:
    return folder.expanduser().absolute()


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
