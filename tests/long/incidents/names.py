"""How services, hosts and pods are called: one style an incident, as one company keeps to one."""

from __future__ import annotations

from tests.long.incidents.draw import Draw

DOMAINS = (
    *("checkout", "order", "payment", "basket", "pricing", "catalog", "inventory", "shipping", "loyalty", "voucher"),
    *("billing", "account", "profile", "search", "booking", "ledger", "claims", "quote", "invoice", "menu", "seat"),
    *("delivery", "courier", "ticket", "wallet", "returns", "media", "playlist", "notify", "review", "customs"),
)
SUFFIXES = ("api", "service", "svc", "backend", "worker", "core", "gateway", "engine")
COMPANIES = ("acme", "nordwind", "tulip", "hexa", "lumen", "kiwi", "ferro", "sakura")
NAMESPACES = ("shop", "prod", "retail", "core", "live", "payments", "apps")


def apps(draw: Draw, count: int) -> list[str]:
    """So many different names of one style."""
    style = draw.pick("kebab", "kebab", "kebab", "plain", "snake", "camel", "prefixed")
    suffixes = [draw.of(SUFFIXES) for _ in range(count)] if draw.chance(0.5) else [draw.of(SUFFIXES[:4])] * count
    company = draw.of(COMPANIES)
    return [_name(style, domain, suffix, company) for domain, suffix in zip(_domains(draw, count), suffixes)]  # noqa: B905


def _domains(draw: Draw, count: int) -> list[str]:
    return draw.sample(DOMAINS, count)


def _name(style: str, domain: str, suffix: str, company: str) -> str:
    match style:
        case "plain":
            return domain
        case "snake":
            return f"{domain}_{suffix}"
        case "camel":
            return f"{domain.title()}{suffix.title()}"
        case "prefixed":
            return f"{company}-{domain}-{suffix}"
        case _:
            return f"{domain}-{suffix}"


def infrastructure(draw: Draw, role: str) -> str:
    """The name of a database, cache, queue, host or entrance."""
    match role:
        case "postgres":
            return draw.pick("postgres", "postgresql", "orders-pg", "pg-main", "pgsql-0")
        case "mysql":
            return draw.pick("mysql", "mysql-primary", "db-main", "mariadb")
        case "redis":
            return draw.pick("redis", "redis-cache", "session-redis", "redis-0")
        case "kafka":
            return draw.pick("kafka", "kafka-1", "broker-2")
        case "rabbit":
            return draw.pick("rabbitmq", "rabbit-0")
        case "node":
            return draw.pick("node-{}", "worker-{}", "ip-10-0-3-{}", "kube-{}").format(draw.randint(2, 29))
        case "edge":
            return draw.pick("nginx", "ingress", "edge-proxy", "web-proxy")
        case "kube":
            return draw.pick("kube-events", "k8s-events", "cluster-events")
        case _:
            raise ValueError(f"no role {role}")


def lowered(service: str) -> str:
    """As a pod of it is called: `OrderService` runs as order-service."""
    words = "".join(f"-{one.lower()}" if one.isupper() else one for one in service).lstrip("-")
    return words.replace("_", "-").replace("--", "-")


def pod(draw: Draw, service: str) -> str:
    return f"{lowered(service)}-{draw.tag(9)}-{draw.tag(5)}"
