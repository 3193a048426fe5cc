"""Time zones as people name them (R68: a zone is known if a setting gives it)."""

from __future__ import annotations

import subprocess
import sys
from datetime import datetime, timedelta

import pytest

from infra.zones import UnknownZone, zone_name, zone_of


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Asia/Shanghai", "Asia/Shanghai"),
        (" asia/shanghai ", "Asia/Shanghai"),
        ("America/New York", "America/New_York"),
        ("UTC", "UTC"),
        ("z", "UTC"),
        ("Etc/UTC", "UTC"),
        ("+00:00", "UTC"),
        ("+08:00", "+08:00"),
        ("+8", "+08:00"),
        ("-0330", "-03:30"),
        ("UTC+5:30", "+05:30"),
        ("GMT-7", "-07:00"),
        ("+14:00", "+14:00"),
    ],
)
def test_a_zone_has_one_name_however_it_is_written(written: str, name: str) -> None:
    """R68: what is recorded of a source is the same for every spelling."""
    assert zone_name(written) == name


@pytest.mark.parametrize(
    ("name", "hours"), [("Asia/Shanghai", 8), ("+05:30", 5.5), ("-03:30", -3.5), ("UTC", 0), ("America/New_York", -4)]
)
def test_a_name_gives_the_zone(name: str, hours: float) -> None:
    """R68: the sign of an offset is that of ISO 8601, east is ahead."""
    assert datetime(2031, 7, 1, tzinfo=zone_of(name)).utcoffset() == timedelta(hours=hours)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("Asia/Shangai", "nearest: Asia/Shanghai"),
        ("Asia", "is no time zone"),
        ("", "is no time zone"),
        ("CSTT", "is no time zone"),
        ("../../etc/passwd", "is no time zone"),
        ("/etc/localtime", "is no time zone"),
        ("+15:00", "none lies more than 14 hours"),
        ("-14:30", "none lies more than 14 hours"),
        ("+08:75", "is no time zone"),
        ("+٠٨:00", "is no time zone"),
        ("\x00", "is no time zone"),
    ],
)
def test_what_is_no_zone_is_refused_with_the_nearest_name(written: str, said: str) -> None:
    """Bad input: never a guess."""
    with pytest.raises(UnknownZone, match=said):
        zone_name(written)


@pytest.mark.parametrize(
    ("told", "name"),
    [("Asia/Tokyo", "Asia/Tokyo"), ("UTC", "UTC"), ("XYZ-9", "+09:00"), ("XYZ3:30", "-03:30"), ("XYZ0", "UTC")],
)
def test_local_is_the_zone_of_the_machine(told: str, name: str) -> None:
    """By name where it has one that goes with its clock, else by its offset: the name of another zone is no guess."""
    program = "from infra.zones import zone_name; print(zone_name('local'))"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env={"TZ": told})
    assert ran.stdout.strip() == name
