"""The rules of the house, checked like any other: style, types, one-way imports, the agreed layout."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from handlers.cli.parser import build_parser
from tests.domain_map import written

ROOT = Path(__file__).parent.parent
TOP_LEVEL = {
    ".ci",
    ".gitignore",
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "domain",
    "handlers",
    "infra",
    "projections",
    "prompts",
    "pyproject.toml",
    "tests",
}

READMES = ("README.md", "domain/README.md", "infra/README.md", "tests/README.md", "tests/bench/README.md")


def _tracked() -> list[str]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return listed.stdout.split()


@pytest.mark.parametrize(
    "command",
    [
        ("ruff", "check", "."),
        ("ruff", "format", "--check", "."),
        ("mypy",),
        ("importlinter.cli", "lint-imports"),
    ],
    ids=["style", "format", "types", "one-way imports"],
)
def test_the_code_keeps_its_own_rules(command: tuple[str, ...]) -> None:
    """Style, formatting, strict types and the direction of imports (ARCHITECTURE)."""
    run = [sys.executable, "-m", *command]
    if command[0] == "importlinter.cli":
        run = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_top_level_holds_nothing_else() -> None:
    assert {name.split("/")[0] for name in _tracked()} <= TOP_LEVEL


def test_the_quick_start_is_one_block_of_two_lines() -> None:
    readme = (ROOT / "README.md").read_text()
    section = readme.split("## Quick start", 1)[1]
    block = re.search(r"^```\w*\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    assert block is not None
    assert len(block[1].splitlines()) == 2


def test_the_front_door_is_short() -> None:
    assert len((ROOT / "README.md").read_bytes()) <= 12_000


@pytest.mark.parametrize("readme", READMES)
def test_links_between_the_readmes_lead_somewhere(readme: str) -> None:
    file = ROOT / readme
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", file.read_text())

    assert [one for one in targets if not (file.parent / one).exists()] == []


def test_the_map_of_rules_is_what_the_modules_say() -> None:
    """A newcomer finds each rule where its name says; `python -m tests.domain_map` writes the map."""
    assert (ROOT / "domain" / "README.md").read_text() == written()


def _commands_of_the_readme() -> list[str]:
    texts = ((ROOT / readme).read_text() for readme in READMES)
    blocks = [block for text in texts for block in re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)]
    lines = "".join(blocks).replace("\\\n", "").splitlines()
    return [line for line in lines if line.startswith("assay ")]


@pytest.mark.parametrize("line", _commands_of_the_readme())
def test_every_command_of_the_readme_is_one_that_exists(line: str) -> None:
    """The words in capitals stand for ids and files; what the commands do, the acceptance tests show."""
    arguments = shlex.split(line.split(" > ")[0], comments=True)[1:]

    assert build_parser().parse_args(arguments).run.startswith("handlers.cli.")
