"""The `pods/` tree of a Kubernetes node, with the links of `containers/` into it, as kubelet and containerd leave it."""

# ruff: noqa: E501 - lines of logs are as long as they are

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.long.practical.tree import Owned, Tree, moments

NOW = datetime(2031, 5, 14, 8, 30, tzinfo=UTC)  # a Wednesday
START = NOW - timedelta(days=4)
PART = 16_384  # bytes of a line that containerd writes at once

PODS = {
    "order-service": ("shop", ("order-service-7d9f8b6c5-x2x7k", "order-service-7d9f8b6c5-q8m4z")),
    "checkout": ("shop", ("checkout-6b8d4c9f7-m2lqx",)),
    "cart": ("shop", ("cart-5c77d8f6b9-zz4kp",)),
    "postgres": ("shop", ("postgres-0",)),
    "nightly-report": ("shop", ("nightly-report-32275020-d5xhv",)),
    "payment-gateway": ("payments", ("payment-gateway-84f6dcb7d5-9xw2c",)),
    "coredns": ("kube-system", ("coredns-5dd5756b68-7hq9n",)),
    "etcd": ("kube-system", ("etcd-node1",)),
    "kube-proxy": ("kube-system", ("kube-proxy-lx8ql",)),
    "kube-apiserver": ("kube-system", ("kube-apiserver-node1",)),
    "calico-node": ("kube-system", ("calico-node-b6v2t",)),
    "prometheus": ("monitoring", ("prometheus-k8s-0",)),
    "ingress-nginx": ("ingress-nginx", ("ingress-nginx-controller-7d4db76476-v9r5s",)),
}
CONTAINERS = {"ingress-nginx": "controller"}


def may(day: int, hour: int = 0, minute: int = 0, second: int = 0) -> datetime:
    return datetime(2031, 5, day, hour, minute, second, tzinfo=UTC)


def _hex(name: str, length: int) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:length]


class Node:
    """The logs of the containers of a node; each method writes one entry as one program does."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    def cri(
        self, app: str, at: datetime, text: str, *, pod: int = 0, container: str = "", stream: str = "stdout"
    ) -> None:
        """A line of a container; a long one comes in parts."""
        namespace, pods = PODS[app]
        uid = _hex(pods[pod], 32)
        folder = f"pods/{namespace}_{pods[pod]}_{uid[:8]}-{uid[8:12]}-{uid[12:16]}-{uid[16:20]}-{uid[20:]}"
        name = container or CONTAINERS.get(app, app)
        parts = [text[start : start + PART] for start in range(0, len(text), PART)] or [""]
        for number, part in enumerate(parts, start=1):
            stamp = f"{at:%Y-%m-%dT%H:%M:%S.%f}{number:03d}Z"
            mark = "F" if number == len(parts) else "P"
            self.tree.line(f"{folder}/{name}/0.log", at, f"{stamp} {stream} {mark} {part}")
        link = f"containers/{pods[pod]}_{namespace}_{name}-{_hex(pods[pod] + name, 64)}.log"
        self.tree.links[link] = (START, f"{{root}}/{folder}/{name}/0.log")

    def spring(
        self, at: datetime, level: str, text: str, *trace: str, app: str = "order-service", pod: int = 0
    ) -> None:
        stamp = f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03d}Z"
        self.cri(app, at, f"{stamp} {level:>5} 1 --- [nio-8080-exec-4] c.e.order.OrderService : {text}", pod=pod)
        for line in trace:
            self.cri(app, at, line, pod=pod)

    def zap(self, at: datetime, level: str, message: str, **fields: Any) -> None:
        entry = {"level": level, "ts": round(at.timestamp(), 3), "caller": "pay/pay.go:81", "msg": message, **fields}
        self.cri("checkout", at, json.dumps(entry), stream="stderr")

    def uvicorn(self, at: datetime, request: str, status: str) -> None:
        self.cri("cart", at, f'INFO:     10.1.4.17:41234 - "{request} HTTP/1.1" {status}')

    def python(self, app: str, at: datetime, level: str, message: str, *trace: str) -> None:
        self.cri(
            app, at, f"{at:%Y-%m-%d %H:%M:%S},{at.microsecond // 1000:03d} {level} {app}: {message}", stream="stderr"
        )
        for line in trace:
            self.cri(app, at, line, stream="stderr")

    def pino(self, at: datetime, level: int, message: str, **fields: Any) -> None:
        entry = {
            "level": level,
            "time": int(at.timestamp() * 1000),
            "pid": 1,
            "hostname": "payment-gateway",
            "msg": message,
            **fields,
        }
        self.cri("payment-gateway", at, json.dumps(entry))

    def klog(self, app: str, at: datetime, letter: str, message: str) -> None:
        text = f"{letter}{at:%m%d %H:%M:%S.%f}       1 proxier.go:412] {message}"
        self.cri(app, at, text, stream="stderr")

    def etcd(self, at: datetime, level: str, message: str, **fields: Any) -> None:
        stamp = f"{at:%Y-%m-%dT%H:%M:%S.%f}Z"
        self.cri(
            "etcd",
            at,
            json.dumps({"level": level, "ts": stamp, "caller": "etcdserver/util.go:170", "msg": message, **fields}),
            stream="stderr",
        )

    def postgres(self, at: datetime, level: str, message: str) -> None:
        self.cri(
            "postgres",
            at,
            f"{at:%Y-%m-%d %H:%M:%S}.{at.microsecond // 1000:03d} UTC [44] {level}:  {message}",
            stream="stderr",
        )

    def coredns(self, at: datetime, level: str, message: str) -> None:
        self.cri("coredns", at, f"[{level}] {message}")

    def prometheus(self, at: datetime, level: str, message: str) -> None:
        stamp = f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03d}Z"
        self.cri(
            "prometheus",
            at,
            f'ts={stamp} caller=compact.go:519 level={level} component=tsdb msg="{message}"',
            stream="stderr",
        )

    def ingress(self, at: datetime, client: str, request: str, status: int) -> None:
        upstream = f"[shop-cart-8080] [] 10.1.4.17:8080 512 0.004 {status} {_hex(str(at), 32)}"
        text = f'{client} - - [{at:%d/%b/%Y:%H:%M:%S %z}] "{request} HTTP/2.0" {status} 512 "-" "curl/8.5.0" 210 0.005 {upstream}'
        self.cri("ingress-nginx", at, text)

    def envoy(self, at: datetime, request: str, status: int, details: str) -> None:
        stamp = f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03d}Z"
        text = (
            f'[{stamp}] "{request} HTTP/1.1" {status} - {details} - "-" 0 91 12 11 "10.1.4.1" "curl/8.5.0" "{_hex(str(at), 32)}" '
            '"pay.shop" "10.1.9.9:8080" outbound|8080||pay.shop.svc.cluster.local 10.1.4.5:40000 10.2.0.9:8080 10.1.4.5:33312 - default'
        )
        self.cri("checkout", at, text, container="istio-proxy")


def node_tree(plant: Callable[[Node], None]) -> Tree:
    """The folder with ordinary days in it and what `plant` writes."""
    tree = Tree(owned=[Owned("pods/*/*/*.log*", 0o640), Owned("pods/*/*", 0o755), Owned("pods/*", 0o755)])
    node = Node(tree)
    _noise(node)
    plant(node)
    for path in list(tree.lines):
        if any(f"/{name}/0.log" in path for name in ("order-service", "controller", "kube-apiserver")):
            old = [f"{path}.20310514-051500", f"{path}.20310513-213000.gz", f"{path}.20310512-090000.gz"]
            tree.rotate(path, [may(14, 5, 15), may(13, 21, 30), may(12, 9)], old)
    return tree


def _noise(node: Node) -> None:
    rng = random.Random(14)
    for at in moments(rng, START, NOW, 300):
        pod, order = rng.randrange(2), rng.randrange(10_000, 99_999)
        node.spring(at, "INFO", f"order {order} accepted", pod=pod)
        node.zap(at, "info", "payment authorised", order=order, took_ms=rng.randrange(9, 400))
        node.uvicorn(at, f"GET /cart/{order}", "200 OK")
        node.pino(at, 30, "charge accepted", order=order)
        node.ingress(at, f"10.1.7.{rng.randrange(2, 30)}", f"GET /cart/{order}", rng.choice((200, 200, 200, 304, 404)))
        node.envoy(at, "POST /pay", 200, "via_upstream")
    for at in moments(rng, START, NOW, 1_800):
        node.coredns(
            at,
            "INFO",
            '10.1.4.17:41234 - 5512 "A IN pay.shop.svc.cluster.local. udp 49 false 512" NOERROR qr,aa,rd 106 0.0002s',
        )
        node.etcd(at, "info", "finished scheduled compaction", **{"compact-revision": 812_311, "took": "21.5ms"})
        node.klog("kube-proxy", at, "I", '"Syncing iptables rules" ipFamily="IPv4"')
        node.klog("kube-apiserver", at, "I", '"Adding GroupVersion" group="metrics.k8s.io"')
        node.postgres(at, "LOG", "checkpoint complete: wrote 92 buffers (0.6%)")
        node.prometheus(at, "info", "write block")
        node.cri(
            "calico-node",
            at,
            f"{at:%Y-%m-%d %H:%M:%S}.101 [INFO][81] felix/summary.go 100: Summarising 9 dataplane reconciliation loops",
        )
    for day in (10, 11, 12, 13):
        node.python("nightly-report", may(day, 22), "INFO", "report started")
        if day != 13:
            node.python("nightly-report", may(day, 22, 4), "INFO", "report written, 214 rows")
    node.cri("checkout", may(13, 6), "waiting for postgres.shop:5432", container="wait-for-db")
