"""What the operator leaves out (`--exclude GLOB`): never opened, counted by glob."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from fnmatch import translate


class Exclusions:
    """Globs on the path below the folder and on the file's name; one that fits a folder leaves out what is in it.

    `*` also stands for parts with slashes, `**/` for any folders or none.
    """

    def __init__(self, globs: Sequence[str]) -> None:
        self._globs = [(glob, _expression(glob)) for glob in globs]
        self.counts: Counter[str] = Counter()

    def kept(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """The names of a thing that no glob fits; if all are left out, it counts for the glob of its first."""
        if not self._globs:
            return names
        globs = [self._glob_of(name) for name in names]
        kept = tuple(name for name, glob in zip(names, globs, strict=True) if glob is None)
        if not kept:
            self.counts.update(glob for glob in globs[:1] if glob is not None)
        return kept

    def _glob_of(self, name: str) -> str | None:
        parts = name.split("/")
        paths = ["/".join(parts[: end + 1]) for end in range(len(parts))]
        candidates = [*filter(None, parts), *paths, *(f"{path}/" for path in paths[:-1])]
        return next((glob for glob, fits in self._globs if any(map(fits.match, candidates))), None)


def _expression(glob: str) -> re.Pattern[str]:
    """Every `**/` once as folders and once as none."""
    first, *rest = glob.split("**/")
    return re.compile(translate(first)[:-2] + "".join(rf"(?:(?s:.*)/)?{translate(part)[:-2]}" for part in rest) + r"\Z")
