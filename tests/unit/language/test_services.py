"""What a service may be called: the same, another, or not to be told."""

from __future__ import annotations

import pytest

from domain.language.services import (
    Kinship,
    is_generic,
    kinship,
    names_of_file,
    nearest,
    service_of,
    stem_of_file,
)

UID = "6f1b2c3d-1111-4222-8333-444455556666"
CONTAINER = "0123456789abcdef" * 4

SAME = (
    *(
        "order-service",
        "OrderService",
        "orderService",
        "order_service",
        "ORDER_SERVICE",
        "order.service",
        "Order Service",
    ),
    *("orderservice", "order-svc", "OrderSvc", "ｏｒｄｅｒ-service", "订单服务", "订单微服务", "订单系统", "order服务"),
    *(
        "order-service-1",
        "order_service_1",
        "order-service.1",
        "order-service-01",
        "order-service#2",
        "order-service-8080",
    ),
    *("order-service:8080", "order-service-10-0-0-1-8080", f"order-service-{UID}", "order-service-1a2b3c4d5e6f"),
    # pods: Deployment, StatefulSet, DaemonSet and Job, CronJob
    *("order-service-7d9f8b6c5-abcde", "order-service-5c9d8f7b6d-x7k2p", "order-service-0", "order-service-x7k2p"),
    *("order-service-28571234-zx7kp", "order-service-2043254563-x7k2p"),
    # what Kubernetes makes of them
    *("pod/order-service-7d9f8b6c5-abcde", "shop/order-service-7d9f8b6c5-abcde", "deployment/order-service"),
    *("shop_order-service-7d9f8b6c5-abcde_1b2c3d4e", f"shop_order-service-0_{UID}", f"shop_order-service-x7k2p_{UID}"),
    f"k8s_order-service_order-service-7d9f8b6c5-abcde_shop_{UID}_0",
    f"order-service-7d9f8b6c5-abcde_shop_order-service-{CONTAINER}",
    *(
        "order-service.shop.svc.cluster.local",
        "order-service.internal",
        "shop/order-service-7d9f8b6c5-abcde/istio-proxy",
    ),
    # Compose, Swarm, systemd, images, programs
    *("shop_order-service_1", "shop-order-service-1", "project-order-service-2", "order-service_run_1a2b3c4d5e6f"),
    "shop_order-service.1.k2j3h4g5f6d7s8a9q1w2e3r4t",
    *(
        "order-service.service",
        "order-service@2.service",
        "order-service@blue",
        "order-service[4711]",
        "order-service:",
    ),
    *("/usr/bin/order-service", "order-service.jar", "order-service-1.4.2.jar", "order-service-1.4.0-SNAPSHOT"),
    *("registry.local:5000/shop/order-service:1.2", f"shop/order-service@sha256:{CONTAINER}"),
)

OTHER = (
    *("payment-service", "PaymentService", "payment", "支付服务", "支付", "user-service", "inventory_service"),
    *("payment-service-7d9f8b6c5-abcde", "shop_payment-service-7d9f8b6c5-abcde_1b2c3d4e", "payment-service-1"),
    *("project-payment-service-1", "payment-service@2.service", "payment-service.jar", "reorder-service"),
    *("order-worker", "order-worker-7d9f8b6c5-abcde", "order-consumer-0", "order-db", "order-redis", "order-admin"),
    *("redis", "kafka", "nginx", "sshd", "gateway", "border", "checkout", "web01", "kube-proxy-x7k2p", "结算平台"),
)

UNSURE = (
    *(
        "order",
        "orders",
        "订单",
        "order-service-canary",
        "order-service-v2",
        "order-service-worker",
        "orderservicecanary",
    ),
    *("shop-order-service", "prod-order-service", "order-service-prod", "order-service-https", "order-service-db"),
    *("order-api", "order-server", "order-app", "订单中心", "orders-service", "order-api-service"),
    *("purchase-order-service-1", "payment-order-service-1", "shop-order-service-7d9f8b6c5-abcde"),
    *("com.shop.OrderService", "order-service/payment-service-7d9f8b6c5-abcde", "清分系统"),
    *(
        "app",
        "service",
        "default",
        "",
        "4711",
        "10.0.0.1",
        "ip-10-0-0-1",
        "1a2b3c4d5e6f",
        UID,
        "localhost",
        "2024-05-01",
    ),
)


@pytest.mark.parametrize("name", SAME)
def test_a_spelling_or_an_instance_belongs_to_the_service(name: str) -> None:
    """R68: a service matches its pods, containers, replicas, units and the usual spellings."""
    assert kinship(name, "order-service") is Kinship.SAME


@pytest.mark.parametrize("name", OTHER)
def test_a_name_that_clearly_is_of_another_service_excludes(name: str) -> None:
    """R68: a line, file or folder that names another service itself."""
    assert kinship(name, "order-service") is Kinship.OTHER


@pytest.mark.parametrize("name", UNSURE)
def test_what_the_name_does_not_tell_is_unsure(name: str) -> None:
    """R68: only what is known excludes: a stage, a canary, an id, or a word for another kind of it is a doubt."""
    assert kinship(name, "order-service") is Kinship.UNSURE


@pytest.mark.parametrize(
    ("name", "asked", "expected"),
    [
        ("order-service-7d9f8b6c5-abcde", "订单服务", Kinship.SAME),
        ("payment-service", "订单服务", Kinship.OTHER),
        ("order-service", "OrderService", Kinship.SAME),
        ("order-service", "order", Kinship.UNSURE),
        ("payment", "order", Kinship.OTHER),
        ("sshd[4711]", "OpenSSH", Kinship.SAME),
        ("sshd-session", "sshd", Kinship.SAME),
        ("/usr/sbin/sshd", "ssh", Kinship.SAME),
        ("mysql", "mysqld", Kinship.SAME),
        ("postgres", "PostgreSQL", Kinship.SAME),
        ("kernel:", "kernel", Kinship.SAME),
        ("postfix/smtpd", "postfix", Kinship.SAME),
        ("CRON", "crond", Kinship.SAME),
        ("CRON", "redis", Kinship.OTHER),
        (f"ingress-nginx_ingress-nginx-controller-7d4db76476-v9r5s_{UID}", "ingress-nginx", Kinship.SAME),
        (f"shop_order-service-canary-7d4db76476-v9r5s_{UID}", "order-service", Kinship.UNSURE),
        (f"shop_order-service-7d9f8b6c5-abcd2_{UID}", "order-service-7d9f8b6c5-abcd2", Kinship.SAME),
        (f"shop_order-service-7d9f8b6c5-q8m4z_{UID}", "order-service-7d9f8b6c5-abcd2", Kinship.OTHER),
        ("order-service", "order-service-7d9f8b6c5-abcd2", Kinship.UNSURE),
        ("app", "order-service-7d9f8b6c5-abcd2", Kinship.UNSURE),
        ("kafka-0", "kafka", Kinship.SAME),
        ("php8.2-fpm.service", "php-fpm", Kinship.SAME),
        ("php8.2-fpm", "php8.1-fpm", Kinship.OTHER),
        ("python3.11", "python", Kinship.SAME),
        ("redis-master-0", "redis", Kinship.UNSURE),
        ("nginx", "sshd", Kinship.OTHER),
        ("user-service", "user-service", Kinship.SAME),
        ("order-service", "ordr-service", Kinship.OTHER),
        ("cart-service", "card-service", Kinship.OTHER),
        ("checkout-7d9f8b6c5-abcde", "checkout", Kinship.SAME),
        ("mysqld", "order-service", Kinship.OTHER),
    ],
)
def test_kinship_of_other_pairs(name: str, asked: str, expected: Kinship) -> None:
    """R68: products are known by their programs, and a misspelt service is another one (R71 names the nearest)."""
    assert kinship(name, asked) is expected


@pytest.mark.parametrize(
    ("file", "names"),
    [
        ("order-service.log", ("order-service",)),
        ("order-service.log.1", ("order-service",)),
        ("order-service.log.2.gz", ("order-service",)),
        ("order-service.log-20240501.gz", ("order-service",)),
        ("order-service-20240501", ("order-service",)),
        ("order-service.2024-05-01.0.log", ("order-service",)),
        ("order-service-2024-05-01-1.log.gz", ("order-service",)),
        ("order-service.log.2024-05-01-10", ("order-service",)),
        ("order-service.log-1714550400", ("order-service",)),
        ("order-service-05-01-2024-1.log", ("order-service",)),
        ("order-service.log~", ("order-service",)),
        ("order-service_error.log", ("order-service",)),
        ("error-order-service.log", ("order-service",)),
        ("order-service-stdout.log", ("order-service",)),
        ("order-service-1.log", ("order-service-1",)),
        ("OrderService.log", ("OrderService",)),
        ("nginx-access.log", ("nginx",)),
        ("nginx.error.log.3", ("nginx",)),
        ("mysqld.log", ("mysqld",)),
        ("dpkg.log", ("dpkg",)),
        ("order-service.host.root.log.INFO.20240501-101010.1234", ("order-service",)),
        ("订单服务.log", ("订单服务",)),
        ("a/b/payment-service.log", ("payment-service",)),
        ("user-service.log", ("user-service",)),
        ("order-service-error-0.log", ("order-service",)),
        ("order-service_20240501_1.log", ("order-service",)),
        ("redis_6379.log", ("redis_6379",)),
        ("mysql-slow.log", ("mysql",)),
        ("postgresql-2024-05-01_000000.log", ("postgresql",)),
        *((name, ()) for name in ("sys-info.log", "common-error.log", "biz.log", "page-digest.log", "web.log")),
        *((name, ()) for name in ("hs_err_pid4711.log", "gc.log.0.current", "0.log.20240501-101010.gz", "nohup.out")),
        *((name, ()) for name in ("app.log", "error.log", "access.log", "syslog", "syslog.1", "messages", "auth.log")),
        *(
            (name, ())
            for name in ("kern.log", "daemon.log", "0.log", "1.log.gz", "stdout", "stderr.log", "catalina.out")
        ),
        *((name, ()) for name in ("catalina.2024-05-01.log", "localhost_access_log.2024-05-01.txt", "server.log")),
        *((name, ()) for name in ("app-2024-05-01.log", "logs-2024-05-01.tar.gz", "gc-worker.log", "2024-05-01.log")),
        *((name, ()) for name in (f"{CONTAINER}-json.log", "user.log", "mail.err", "o.log", ".log", "")),
    ],
)
def test_the_services_in_the_name_of_a_file(file: str, names: tuple[str, ...]) -> None:
    """R68: suffixes, rotation, dates and compression are no part of a name, and names like app.log name none."""
    assert names_of_file(file) == names


def test_the_stem_of_a_file_keeps_generic_names() -> None:
    """R68: who asks for `access` means the file access.log."""
    assert stem_of_file("access.log.1.gz") == "access"
    assert stem_of_file("nginx/nginx-access.log") == "nginx-access"


def test_generic_names_of_folders_name_no_service() -> None:
    """R68: a folder `pods` or `prod` is no service, and excludes nothing."""
    generic = (
        "pods",
        "containers",
        "logs",
        "archive",
        "2024-05-01",
        "20240501",
        "default",
        "prod",
        "var",
        UID,
        "a",
        "",
    )
    assert [name for name in generic if not is_generic(name)] == []
    named = ("order-service", "payment", "nginx", "message-service", "auth-service", "gateway")
    assert [name for name in named if is_generic(name)] == []


@pytest.mark.parametrize(
    ("asked", "known", "near"),
    [
        ("ordr-service", ("order-service-1", "payment-service", "user-service"), ("order-service-1",)),
        ("order-servcie", ("order-service", "payment-service"), ("order-service",)),
        ("order", ("order-service", "payment-service"), ("order-service",)),
        ("HighErorRate", ("HighErrorRate", "HighLatencyP99"), ("HighErrorRate",)),
        ("cart-service", ("card-service", "user-service"), ("card-service",)),
        ("order-service", ("user-service", "billing-service"), ()),
        ("zzz", ("a", "b"), ()),
        ("order", (), ()),
    ],
)
def test_the_nearest_names_are_what_a_misspelt_one_may_mean(
    asked: str, known: tuple[str, ...], near: tuple[str, ...]
) -> None:
    """R71: an unknown name comes with the nearest; two services are not alike because both are services."""
    assert nearest(asked, known) == near


def test_at_most_three_near_names_the_best_first() -> None:
    """R71: a short list."""
    known = ("orders-service", "order-service", "orden-service", "oorder-service", "payment-service")
    assert nearest("order-servise", known)[0] == "order-service"
    assert len(nearest("order-servise", known)) == 3


@pytest.mark.parametrize(
    ("name", "service"),
    [
        ("order-service-7d9f8b6c5-abcde", "order-service"),
        ("shop_order-service-7d9f8b6c5-abcde_1b2c3d4e", "order-service"),
        ("OrderService", "OrderService"),
        ("sshd[1]", "sshd"),
        ("app", "app"),
    ],
)
def test_the_service_of_an_instance(name: str, service: str) -> None:
    """R71: a folder of pods is listed by its services."""
    assert service_of(name) == service


def test_a_very_long_name_is_read_in_time_linear_in_it() -> None:
    """R72: names come from hostile logs."""
    assert kinship("a-" * 50_000, "order-service") is not Kinship.SAME
    assert kinship("1." * 50_000, "order-service") is not Kinship.SAME
    assert names_of_file("x.log." * 20_000) is not None
