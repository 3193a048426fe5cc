"""What a name of a running thing is made of: pods, containers, units, replicas and files of a service (R68).

Kubernetes writes pods as `deployment-<hash>-<5>`, `daemonset-<5>`, `cronjob-<minutes>-<5>` and `statefulset-0`, their
log folders as `namespace_pod_uid`, and links to them as `pod_namespace_container-<id>.log`; what it draws by chance
holds no vowels.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from domain.language.service_words import KINDS_ASKED

_SAFE = "bcdfghjklmnpqrstvwxz2456789"
_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_WORDS_WITHOUT_VOWELS = ("https", "http2", "mssql", "pgsql", "smtps", "xhtml", "nfsv4", "html5")

_REPLICA = re.compile(  # what stands behind a name for one of its instances
    rf"""(?x)
    -(?:[456789bcdf]{{6,10}}                        # Deployment
      |(?=[a-z]*[0-9])[0-9{_SAFE}]{{8,10}}|(?=[a-f]*[0-9])[0-9a-f]{{8,10}})-[a-z0-9]{{5}}
    | -[0-9]{{8,10}}-[{_SAFE}]{{5}}                   # CronJob
    | -(?!(?:{"|".join(_WORDS_WITHOUT_VOWELS)})$)[{_SAFE}]{{5}}  # DaemonSet, Job
    | [-_.@]{_UUID}
    | [-_.](?=[0-9a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{{12,64}}       # a container's id
    | [-_.:@][0-9]{{1,3}}(?:[-.][0-9]{{1,3}}){{3}}  # an address
    | \.[0-9]{{1,4}}\.[a-z0-9]{{25}}                # a task of Swarm
    | _run_[0-9a-f]{{8,64}}                         # `compose run`
    | [-_.:\#@][0-9]{{1,10}}                        # a replica, an instance, a port, a job of a CronJob
    """
)
_POD = re.compile(
    rf"(?<![a-z0-9-])[a-z0-9](?:[a-z0-9.-]{{0,200}}[a-z0-9])?-(?=[a-f]*[0-9]|[a-z]*[0-9])[0-9{_SAFE}]{{8,10}}-[a-z0-9]{{5}}"
    r"(?![a-z0-9-])"
)
_VERSION = re.compile(r"[-_]v?\d{1,4}(?:\.\d{1,6}){1,3}(?:[-.](?:snapshot|release|final|ga|rc\d{0,2}|m\d))?$", re.I)
_PROGRAM = re.compile(r"\.(?:jar|war|exe|dll|pyc?|js|rb|sh|bin|php)$", re.I)
_PROCESS = re.compile(r"\[\d{1,10}\]$")
_UNIT = re.compile(r"(?:@[^@/]{0,128})?\.(?:service|socket|timer|scope|slice|mount|target)$|@[^@/:]{1,64}$")
_TAG = re.compile(r"(?::[\w.-]{1,128})?(?:@sha256:[0-9a-f]{64})?$")
_CLUSTER = re.compile(
    r"\.[a-z0-9-]{1,63}\.svc(?:\.|$)|\.(?:[a-z0-9-]{1,63}\.){0,6}(?:local|internal|lan|com|net|org|io|cn)$"
)
_KIND_OF_OBJECT = re.compile(
    r"(?:pods?|deploy(?:ments?)?(?:\.apps)?|sts|statefulsets?(?:\.apps)?|ds|daemonsets?(?:\.apps)?|rs|replicasets?"
    r"(?:\.apps)?|jobs?|cronjobs?|svc|services?|containers?|app)/"
)
_KUBE_CONTAINER = re.compile(
    r"k8s_(?P<container>[^_]{1,253})_(?P<pod>[^_]{1,253})_(?P<place>[^_]{1,253})_[^_]{1,64}_\d+"
)
_KUBE_LINK = re.compile(r"(?P<pod>[^_]{1,253})_(?P<place>[^_]{1,253})_(?P<container>[^_]{1,253})-[0-9a-f]{64}")
_KUBE_FOLDER = re.compile(rf"(?P<place>[^_]{{1,253}})_(?P<pod>[^_]{{1,253}})_(?:{_UUID}|[0-9a-f]{{32}})")
_SHORT_FOLDER = re.compile(r"(?P<place>[^_]{1,253})_(?P<pod>[^_]{1,253}-[a-z0-9]{1,10})_(?=\d*[a-f])[0-9a-f]{8}")
_COMPOSE = re.compile(r"(?P<place>[a-z0-9][a-z0-9-]{0,62})_(?P<container>[a-z0-9][a-z0-9.-]{0,62})")
_FAMILIES = ("postfix", "dovecot", "amavis")
"""Programs whose parts log as `postfix/smtpd`."""


@dataclass(frozen=True, slots=True)
class Named:
    """One reading of a name. `is_sure` False: it may be a place (namespace, project, host) and no service.
    `is_numbered`: a number stood behind it."""

    base: str
    is_sure: bool = True
    is_numbered: bool = False


def readings(name: str) -> tuple[Named, ...]:
    """What a name may be an instance of, in the name's own letters: first itself, then its parts, without what tells
    instances apart."""
    found: dict[Named, None] = {}
    for part, is_sure in _parts(name.strip().strip("/").rstrip(":")):
        found[Named(part, is_sure)] = None
        for base, is_numbered in _shorter(part):
            found[Named(base, is_sure, is_numbered)] = None
    return tuple(found)


def pods_in(name: str) -> frozenset[str]:
    """The pods of deployments that a name tells: of a pod, a folder of its logs, a link to them."""
    return frozenset(_POD.findall(name.lower()))


def _parts(name: str) -> Iterator[tuple[str, bool]]:
    if kind := _KIND_OF_OBJECT.match(name):  # pod/order-service-0/istio-proxy
        yield from ((part, True) for part in name[kind.end() :].split("/")[:3])
        return
    lowered = name.lower()
    for shape in (_KUBE_CONTAINER, _KUBE_LINK, _KUBE_FOLDER, _SHORT_FOLDER):
        if kube := shape.fullmatch(lowered):
            parts = kube.groupdict()
            yield from ((parts[key], key != "place") for key in ("pod", "container", "place") if key in parts)
            return
    *places, last = name.split("/")
    yield _TAG.sub("", last) if places else last, True
    if len(places) > 1:  # namespace/pod/container
        yield places.pop(), True
    yield from ((place, place in _FAMILIES) for place in places[-3:] if place)


def _shorter(part: str) -> Iterator[tuple[str, bool]]:
    """A name without process, unit, program, version and domain, then without replica and the like, one by one."""
    seen, is_numbered = part, False
    for ending in (_PROCESS, _UNIT, _PROGRAM, _VERSION, _CLUSTER):
        if (found := ending.search(seen)) and found.start():
            seen = seen[: found.start()]
            yield seen, False
    for _ in range(3):
        cut = _replica_at(seen)
        if not cut:
            break
        is_numbered = is_numbered or seen[cut + 1 :].isdecimal()
        seen = seen[:cut]
        yield seen, is_numbered
    compose = _COMPOSE.fullmatch(seen.lower())
    if compose and compose["container"] not in KINDS_ASKED:  # order_service is no service of a project `order`
        yield seen[compose.start("container") :], is_numbered


def _replica_at(name: str) -> int:
    """Where the longest ending that tells an instance begins; 0 if there is none."""
    lowered = name.lower()
    starts = [i for i, c in enumerate(lowered) if c in "-_.:#@" and i > len(lowered) - 110]
    return next((start for start in starts if start and _REPLICA.fullmatch(lowered, start)), 0)
