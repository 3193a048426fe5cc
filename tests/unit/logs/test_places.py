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


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("ferry-booking/django.log", ("ferry-booking",)),
        ("ferry-booking/celery-worker.log", ("ferry-booking",)),
        ("customs-bridge/bridge.log", ("customs-bridge",)),
        ("billing-hub/a.log", ("billing-hub",)),
        ("refund-desk/3f2a-json.log", ("refund-desk",)),
        ("refund-desk/3f2ab8c77d10-json.log", ("refund-desk",)),
        ("claims-portal/u_ex260317.log", ("claims-portal",)),
        ("dec-json/a.json", ("dec-json",)),
        ("order-service-logs/app.log", ("order-service",)),
        ("bookings-db/postgresql.csv", ("bookings-db", "postgresql")),
        ("sampan-03/mysql.log", ("mysql", "sampan-03")),  # a host
        ("shop-prod/order-service.log", ("order-service", "shop-prod")),
        ("ferry/django.log", ()),
        ("django.log", ()),
        ("gatekeep/ltsv.log", ()),
        ("u_ex260317.log", ()),
        ("bridge.log", ("bridge",)),
        ("gunicorn.log", ("gunicorn",)),
    ],
)
def test_a_file_whose_name_tells_less_than_its_folder_is_of_the_folders_service(
    path: str, names: tuple[str, ...]
) -> None:
    """R68: a part of the folder's name, a framework, an id; where no folder tells, a framework is of any service."""
    *folders, file = path.split("/")
    layout = layout_of("log", {}, [path], "payment-service")
    assert layout.place(path, folders, file).names == names


@pytest.mark.parametrize(
    ("paths", "path", "names"),
    [
        (("payment-service/app.log", "gatekeep/app.log"), "gatekeep/app.log", ("gatekeep",)),
        (("payment-service/app.log", "production/app.log"), "production/app.log", ()),
        (("blue/payment-service/app.log", "blue/app.log"), "blue/app.log", ()),  # that of a host
        (("blue/payment-service/app.log", "blue/gatekeep/app.log"), "blue/gatekeep/app.log", ("gatekeep",)),
        (("order-service/app.log", "gatekeep/app.log"), "gatekeep/app.log", ()),
    ],
)
def test_a_folder_of_one_word_is_a_service_beside_the_folder_of_the_one_asked_for(
    paths: tuple[str, ...], path: str, names: tuple[str, ...]
) -> None:
    """R68"""
    *folders, file = path.split("/")
    assert layout_of("log", {}, paths, "payment-service").place(path, folders, file).names == names
