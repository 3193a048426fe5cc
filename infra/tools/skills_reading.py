"""What a reading process does for skills: folders with a `SKILL.md` each are read within limits (R72)."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import PurePosixPath

from infra.tools.documents import Document, Left, Place, list_documents, read_documents
from infra.tools.headers import front_matter, texts_of
from infra.tools.knowledge_reading import Closed

FILE = "SKILL.md"
_NAME_CHARACTERS, _DESCRIPTION_CHARACTERS, _CONTENT_CHARACTERS = 100, 1_000, 60_000
_MOST = 200  # skills that the catalogue holds


@dataclass(frozen=True, slots=True)
class Skill:
    """One `SKILL.md`: `content` is the text behind its front matter. `is_whole`: it was read and understood wholly."""

    name: str
    description: str
    content: str
    document: str
    is_whole: bool = True

    def of(self, place: str) -> Skill:
        return replace(self, name=f"{place}/{self.name}", document=f"{place}/{self.document}")


@dataclass(frozen=True, slots=True)
class Skills:
    """The skills of all places by name, without their text but where it is asked for, and what was not read."""

    signature: str
    skills: list[Skill] | None = None
    unread: list[Left] = field(default_factory=list)
    closed: list[Closed] = field(default_factory=list)


def skills_of(places: Sequence[Place], known: str, seconds: float, wanted: str = "") -> Skills:
    """`skills` None: nothing has changed since the signature `known`. `wanted`: the skill whose text is told. A name
    that several have is told apart by the source."""
    until = time.monotonic() + seconds
    listings = []
    closed: list[Closed] = []
    sign = sha256()
    for place in places:
        try:
            listing = list_documents(place, is_skill)
        except OSError as error:
            closed.append(Closed(place.name, str(error)))
            sign.update(f"{place.name}\0{error}".encode("utf-8", "replace"))
            continue
        listings.append((place, listing))
        sign.update(f"{place.prefix}\0{place.path}\0{listing.signature}".encode("utf-8", "replace"))
    if sign.hexdigest() == known:
        return Skills(known, None, [], closed)
    found: list[tuple[Place, Skill]] = []
    unread: list[Left] = []
    for place, listing in listings:
        unread += listing.unread
        plain = replace(place, prefix="")
        for one in read_documents(plain, listing, lambda: time.monotonic() >= until):
            if isinstance(one, Document):
                found.append((place, _skill(one)))
            else:
                unread.append(replace(one, name=place.prefix + one.name))
    times = Counter(skill.name for _, skill in found)
    named = [skill if times[skill.name] == 1 else skill.of(place.name) for place, skill in found]
    told = [skill if skill.name == wanted else replace(skill, content="") for skill in named]
    return Skills(sign.hexdigest(), sorted(told, key=lambda skill: skill.name)[:_MOST], unread, closed)


def problem_of(place: Place) -> str | None:
    """What is wrong with a place before a session is started on it."""
    try:
        listing = list_documents(place, is_skill)
    except OSError as error:
        return str(error)
    return None if listing.files else f"{place.path} holds nothing to read"


def is_skill(name: str) -> bool:
    """`folder/SKILL.md`, directly below the place."""
    path = PurePosixPath(name)
    return path.name == FILE and len(path.parts) == 2


def _skill(document: Document) -> Skill:
    """Broken front matter costs the description, not the skill."""
    header, content, header_read = front_matter(document.text)
    folder = PurePosixPath(document.name).parent.name
    name = " ".join(next(iter(texts_of(header.get("name"))), "").split()) if header else ""
    description = " ".join(" ".join(texts_of(header.get("description"))).split())
    return Skill(
        name=name[:_NAME_CHARACTERS] or folder,
        description=description[:_DESCRIPTION_CHARACTERS],
        content=content.strip()[:_CONTENT_CHARACTERS],
        document=document.name,
        is_whole=header_read and document.is_sure and len(content.strip()) <= _CONTENT_CHARACTERS,
    )
