"""Which service an input is of, by where it stands (R68)."""

from __future__ import annotations

import pytest

from infra.log_reading.places import layout_of


@pytest.mark.parametrize(
    ("folder", "asked", "names"),
    [
        ("nginx", "backup.service", ("nginx",)),  # as Debian has it below /var/log
        ("order-service", "payment-service", ("order-service",)),
        ("checkout", "checkout", ("checkout",)),
        ("blue", "checkout", ()),  # a host, or a stage
    ],
)
def test_a_folder_names_a_service_where_it_is_a_product_a_compound_or_beside_the_one_asked_for(
    folder: str, asked: str, names: tuple[str, ...]
) -> None:
    """R68: a folder that names another service itself excludes; a plain word may be anything."""
    layout = layout_of("log", {}, [f"{folder}/access.log"], asked)
    assert layout.place(f"{folder}/access.log", (folder,), "access.log").names == names
