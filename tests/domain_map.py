"""The map of rules in `domain/README.md`, from the first line of each module: `python -m tests.domain_map`."""

from __future__ import annotations

import ast
from pathlib import Path

DOMAIN = Path(__file__).parent.parent / "domain"
HEAD = """# The rules

Pure: no I/O, no clock, no randomness; they come in with the command. Each rule stands in the file whose name says it.
Words of a language stand in `language/`, once, and rules ask for them by concept. Written by `python -m
tests.domain_map`.
"""


def main() -> None:
    (DOMAIN / "README.md").write_text(written())


def written() -> str:
    rooms = [DOMAIN, *sorted(folder for folder in DOMAIN.iterdir() if (folder / "__init__.py").exists())]
    return HEAD + "".join(map(_room, rooms))


def _room(folder: Path) -> str:
    is_whole = folder == DOMAIN
    title = "the whole" if is_whole else folder.name
    about = _first_line(folder / "__init__.py")
    rows = [
        f"| `{_name(file)}` | {_first_line(file)} |" for file in sorted(folder.glob("*.py")) if file.stem != "__init__"
    ]
    return "\n".join([f"\n## {title}", *([f"\n{about}"] if about else []), "\n| file | rule |\n|---|---|", *rows, ""])


def _name(file: Path) -> str:
    return file.relative_to(DOMAIN).as_posix()


def _first_line(file: Path) -> str:
    said = ast.get_docstring(ast.parse(file.read_text())) or ""
    return said.split("\n\n", 1)[0].replace("\n", " ").replace("|", "\\|")


if __name__ == "__main__":
    main()
