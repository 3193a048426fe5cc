"""Services of the folder, how their names are written, and where a file says whose it is."""

from __future__ import annotations

SERVICES = (
    "order-service",
    "checkout",
    "billing-api",
    "stock-service",
    "search-api",
    "mail-relay",
    "till-api",
    "auth-gateway",
)
"""No name belongs to another: a line of one is never a line of the other."""

SPELLINGS = ("exact", "pod", "replica", "camel", "underscores", "unit", "capitals")

PLACES = ("field", "program", "prefix", "format", "file", "folder", "pod folder", "container file", "none")

UID = "1b2c3d4e-55aa-4c1e-9a77-0242ac120002"
CONTAINER = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
ROTATIONS = ("plain", "number", "dated", "dated with dots", "date in the name", "no suffix", "err", "out", "txt")
COMPRESSIONS = ("none", "gz", "bz2", "xz", "zst", "zip", "tar.gz", "tar")
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-be", "gbk", "latin-1")


def spelled(service: str, spelling: str) -> str:
    """A usual spelling of a service's name in a log."""
    match spelling:
        case "pod":
            return f"{service}-7d9f8b6c5-abcde"
        case "replica":
            return f"{service}-2"
        case "camel":
            return "".join(part.capitalize() for part in service.split("-"))
        case "underscores":
            return service.replace("-", "_")
        case "unit":
            return f"{service}.service"
        case "capitals":
            return service.upper()
    return service


def stem(place: str, service: str, spelling: str) -> str:
    """The path of the live file without its suffix."""
    name = spelled(service, spelling)
    match place:
        case "file":
            return name
        case "folder":
            return f"{name}/app"
        case "pod folder":
            return f"shop_{service}-7d9f8b6c5-abcde_{UID}/{service}/0"
        case "container file":
            return f"containers/{service}-7d9f8b6c5-abcde_shop_{service}-{CONTAINER}"
    return "app"


def rotated(stem: str, rotation: str, day: str) -> tuple[str, bool]:
    """The path of the file with the planted line, and whether a live file stands beside it. `day`: 2031-05-14."""
    match rotation:
        case "number":
            return f"{stem}.log.1", True
        case "dated":
            return f"{stem}.log-{day.replace('-', '')}", True
        case "dated with dots":
            return f"{stem}.log.{day}", True
        case "date in the name":
            return f"{stem}-{day}.log", True
        case "no suffix":
            return stem, False
        case "err" | "out" | "txt":
            return f"{stem}.{rotation}", False
    return f"{stem}.log", False
