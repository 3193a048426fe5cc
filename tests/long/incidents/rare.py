"""Lines that are written once, to be asked for in people's own words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tests.long.incidents.draw import Draw


@dataclass(frozen=True, slots=True)
class Rare:
    """`told`: the part of the line that shows it was found. `asks`: by language."""

    level: str
    text: str
    told: str
    asks: Mapping[str, str]


def rare_line(draw: Draw, role: str, taken: set[str]) -> Rare:
    """One that is none of those `taken`, which it joins."""
    writers = {name: write for name, write in WRITERS[role].items() if name not in taken}
    name = draw.of(sorted(writers))
    taken.add(name)
    return writers[name](draw)


def _coupon(draw: Draw) -> Rare:
    code = f"CPN-{draw.hex(6).upper()}"
    text = f"coupon {code} refused: redeemed before by account {draw.randint(10_000, 99_999)}"
    asks = {"zh": f"{{service}} 里优惠券 {code} 被拒绝过吗？", "en": f"Did {{service}} refuse coupon {code}?"}
    return Rare("WARN", text, f"coupon {code} refused", asks)


def _webhook(draw: Draw) -> Rare:
    host = f"partner{draw.randint(2, 40)}.example.org"
    asks = {
        "zh": f"{{service}} 有没有放弃发往 {host} 的 webhook？",
        "en": f"Has {{service}} abandoned a webhook to {host}?",
    }
    text = f"webhook to {host} abandoned after {draw.randint(4, 9)} attempts"
    return Rare("ERROR", text, f"webhook to {host} abandoned", asks)


def _pause(draw: Draw) -> Rare:
    told = f"GC pause of {draw.randint(1_200, 9_400)} ms"
    asks = {"zh": "{service} 最近一小时有没有 GC pause 的日志？", "en": "Was there a long GC pause in {service}?"}
    return Rare("WARN", f"long {told} observed in old generation", told, asks)


def _refund(draw: Draw) -> Rare:
    number = f"RF-{draw.randint(10_000, 99_999)}"
    asks = {"zh": f"{{service}} 的退款 {number} 是不是被拒了？", "en": f"Was refund {number} rejected by {{service}}?"}
    return Rare(
        "ERROR", f"refund {number} rejected: amount exceeds the captured sum", f"refund {number} rejected", asks
    )


def _checksum(draw: Draw) -> Rare:
    told = f"checksum mismatch in chunk {draw.randint(10, 9_999)}"
    asks = {"zh": "{service} 有出现 checksum mismatch 吗？", "en": "Any checksum mismatch in {service}?"}
    return Rare("ERROR", f"{told} of upload {draw.hex(8)}", told, asks)


def _breaker(draw: Draw) -> Rare:
    told = f"circuit breaker {draw.pick('geo', 'tax', 'avatar')}-{draw.hex(3)} switched to OPEN"
    asks = {"zh": "{service} 有没有 circuit breaker 打开的记录？", "en": "Did a circuit breaker open in {service}?"}
    return Rare("WARN", told, told, asks)


def _deadlock(draw: Draw) -> Rare:
    first, second = draw.randint(10_000, 49_999), draw.randint(50_000, 99_999)
    told = f"deadlock between transactions {first} and {second}"
    asks = {"zh": "{service} 最近有死锁吗？", "en": "Was there a deadlock in {service}?"}
    return Rare("ERROR", f"{told}, second one rolled back", told, asks)


def _skipped(draw: Draw) -> Rare:
    told = f"job nightly-{draw.randint(100, 9_999)} skipped"
    job = told.split()[1]
    asks = {"zh": f"{{service}} 的任务 {job} 被跳过了吗？", "en": f"Was job {job} skipped in {{service}}?"}
    return Rare("WARN", f"{told}: previous run still holds the lease", told, asks)


def _locked_out(draw: Draw) -> Rare:
    user = draw.randint(10_000, 99_999)
    told = f"user {user} locked out"
    asks = {"zh": f"{{service}} 里用户 {user} 被锁定了吗？", "en": f"Was user {user} locked out by {{service}}?"}
    return Rare("ERROR", f"{told} after {draw.randint(3, 9)} wrong PINs", told, asks)


def _corrupt(draw: Draw) -> Rare:
    code = draw.hex(6).upper()
    told = f"segment {code} of stream live is corrupt"
    asks = {
        "zh": f"{{service}} 有没有 segment {code} 损坏（corrupt）的日志？",
        "en": f"Is there a corrupt segment {code} in {{service}}?",
    }
    return Rare("ERROR", f"{told}, skipping {draw.randint(100, 9_999)} bytes", told, asks)


def _temporary_file(draw: Draw) -> Rare:
    told = f"temporary file: path base/pgsql_tmp/pgsql_tmp{draw.randint(100, 9_999)}.0"
    asks = {"zh": "{service} 有没有写过 temporary file？", "en": "Did {service} write a temporary file?"}
    return Rare("INFO", f"{told}, size {draw.randint(200, 900)}000000", told, asks)


def _wraparound(draw: Draw) -> Rare:
    told = f'database "archive{draw.randint(2, 99)}" must be vacuumed within'
    asks = {
        "zh": "{service} 里有没有 must be vacuumed 的警告？",
        "en": "Does {service} warn that a database must be vacuumed?",
    }
    return Rare("WARN", f"{told} {draw.randint(20, 39)}123456 transactions", told, asks)


def _crashed_table(draw: Draw) -> Rare:
    told = f"Table './main/visits_{draw.randint(10, 999)}' is marked as crashed"
    asks = {"zh": "{service} 有没有表被标记为 crashed？", "en": "Is a table marked as crashed in {service}?"}
    return Rare("ERROR", f"{told} and should be repaired", told, asks)


def _segfault(draw: Draw) -> Rare:
    program = f"{draw.pick('thumbd', 'ffprobe', 'pdfgen')}[{draw.randint(900, 30_000)}]"
    asks = {"zh": "{service} 上有没有 segfault？", "en": "Was there a segfault on {service}?"}
    text = f"kernel: {program}: segfault at {draw.hex(4)} ip {draw.hex(12)} sp {draw.hex(12)} error 4"
    return Rare("ERROR", text, f"{program}: segfault at", asks)


def _sudo(draw: Draw) -> Rare:
    user = draw.pick("backup", "guest", "ftpuser", "oracle")
    told = f"{user} : user NOT in sudoers"
    asks = {
        "zh": f"{{service}} 上 {user} 有没有 sudoers 的报错？",
        "en": f"Was {user} NOT in sudoers on {{service}}?",
    }
    return Rare("WARN", f"sudo: {told} ; TTY=pts/0 ; PWD=/home/{user} ; COMMAND=/usr/bin/id", told, asks)


APPS = {
    "coupon": _coupon,
    "webhook": _webhook,
    "pause": _pause,
    "refund": _refund,
    "checksum": _checksum,
    "breaker": _breaker,
    "deadlock": _deadlock,
    "skipped": _skipped,
    "locked out": _locked_out,
    "corrupt": _corrupt,
}
WRITERS = {
    "app": APPS,
    "postgres": {"temporary file": _temporary_file, "wraparound": _wraparound},
    "mysql": {"crashed table": _crashed_table},
    "node": {"segfault": _segfault, "sudo": _sudo},
}
