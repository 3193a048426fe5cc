"""Families of rotated logs, and globs of what is left out (R69)."""

from __future__ import annotations

import pytest

from infra.log_reading.exclusions import Exclusions
from infra.log_reading.rotation import family_of, unpacked_name


@pytest.mark.parametrize(
    ("path", "family"),
    [
        ("app.log", "app.log"),
        ("app.log.1", "app.log"),
        ("app.log.12.gz", "app.log"),
        ("app.log-20310501", "app.log"),
        ("app.log-20310501.gz", "app.log"),
        ("app.log.2031-05-01", "app.log"),
        ("app.log.2031-05-01-13.zst", "app.log"),
        ("app-2031-05-01.log", "app.log"),
        ("app.2031-05-01.3.log.gz", "app.log"),
        ("app.log.old", "app.log"),
        ("syslog.1", "syslog"),
        ("messages-20310501.xz", "messages"),
        ("order-service-20310501", "order-service"),
        ("0.log.20310501-101010.gz", "0.log"),
        ("shop/app.log.1", "shop/app.log"),
        ("order-1.log", "order-1.log"),
        ("20310501.log", ".log"),
    ],
)
def test_the_parts_of_a_rotation_are_one_family(path: str, family: str) -> None:
    assert family_of(path) == family


def test_an_archive_stands_for_a_folder_without_its_suffixes() -> None:
    assert [unpacked_name(name) for name in ("a.tar.gz", "a.tgz", "a.zip", "logs-2031.tar.zst", "plain")] == [
        "a",
        "a",
        "a",
        "logs-2031",
        "plain",
    ]


@pytest.mark.parametrize(
    ("glob", "fits", "does_not"),
    [
        ("*.gz", ["a.gz", "old/a.gz"], ["a.gz.log"]),
        ("old", ["old/a.log", "x/old/a.log", "old", "old/"], ["older/a.log", "a.old"]),
        ("old/*", ["old/a.log", "old/x/a.log", "old/"], ["x/old.log", "older/a"]),
        ("old/**", ["old/a.log", "old/x/a.log"], ["x/older"]),
        ("**/a.log", ["a.log", "x/a.log", "x/y/a.log"], ["xa.log", "b.log"]),
        ("x/**/a.log", ["x/a.log", "x/y/a.log", "x/y/z/a.log"], ["a.log", "y/a.log"]),
        ("a[12].log", ["a1.log", "old/a2.log"], ["a3.log"]),
        ("a?log", ["a.log"], ["a..log"]),
        ("*a*b*.log", ["xaxbx.log", "old/a/b.log"], ["ba.log"]),
    ],
)
def test_a_glob_leaves_out_by_path_by_name_and_by_folder(glob: str, fits: list[str], does_not: list[str]) -> None:
    """`--exclude GLOB`."""
    exclusions = Exclusions([glob])
    assert [name for name in [*fits, *does_not] if exclusions.kept((name,))] == does_not
    assert exclusions.counts == {glob: len(fits)}
