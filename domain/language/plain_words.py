"""Words that could stand where a question names a service: those that name none, and products that do. Data."""

from __future__ import annotations

from functools import cache

from domain.language import service_words


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NOT_NAMES = _words(
    "back again up sales max min writes reads device cert certs primary secondary windows apply configmap"
    " configmaps renew renewal flag flags authority assembly restarted restarting replicas replica released"
    " block blocks blocked publisher publishers silenced suppressed marked changed lag webhook webhooks"
    " callback callbacks trend trends investigate debug diagnose inspect analyze analyse explain review"
    " monitor verify confirm whether port ports compare summarize summary consumer consumers group groups"
    " topic topics payment payments page login endpoint endpoints a an the this that these those it its they"
    " them their he she his her him we us our i me my you your one ones who whom whose which what when where"
    " why how all any each every both some more most many much few other others another same such only just"
    " also still already ever never not no nor none nothing something anything everything someone anyone"
    " everyone nobody somebody anybody everybody people person user users customer customers client clients"
    " team teams colleague colleagues request requests response responses reply error errors warning warnings"
    " failure failures exception exceptions alert alerts alarm alarms log logs line lines entry entries record"
    " records message messages event events metric metrics trace traces span spans issue issues problem"
    " problems incident incidents outage outages case cases production prod staging stage development dev test"
    " testing live general detail details total part parts whole example question questions order orders"
    " number numbers count counts value values rate rates level levels memory disk disks cpu network networks"
    " database databases db cache caches queue queues traffic load latency throughput usage utilization"
    " utilisation time times day days week weeks month months year years night nights hour hours minute"
    " minutes second seconds moment morning afternoon evening noon midnight today yesterday tomorrow now later"
    " earlier recently currently lately once twice start startup shutdown restart restarts broke break breaks"
    " deploy deploys deployment deployments release releases rollout rollouts upgrade upgrades migration"
    " change changes logins logout signin signins password passwords service services app apps application"
    " applications component components microservice microservices server servers process processes container"
    " containers pod pods node nodes host hosts instance instances cluster clusters backend backends namespace"
    " namespaces job jobs workload workloads system systems daemon daemons machine machines environment region"
    " zone file files folder folders path paths code codes status statuses package packages state states"
    " reason reasons cause causes root fix help please thanks and or but if then severity severities priority"
    " priorities so than as at by for from in into of off on onto out over per since through to under until"
    " upon via with within without about above across after against along among around before behind below"
    " beneath beside besides between beyond during except inside near outside toward towards is are was were"
    " be been being am do does did done doing has have had having can could will would shall should may might"
    " must there here very too quite really actually exactly right left high higher highest low lower lowest"
    " large larger small smaller big bigger slow slower slowest fast faster quick new newer newest old older"
    " oldest good bad better worse worst first last next previous recent current top bottom severe critical"
    " fatal info failed failing fail fails down firing pending resolved active healthy unhealthy stuck broken"
    " wrong normal okay ok fine long short open closed full empty show list check see look find get got give"
    " given take taken make made run running ran go going gone come came keep keeps kept happen happens"
    " happened happening occur occurs occurred say says said tell told know known think mean means meant need"
    " needs want wants work works working logged logging report reported reporting return returned returning"
    " answer answered throw threw hit hits saw seen write written wrote read call called calls mention"
    " mentioned anymore often address addresses ip ips id ids name names type types kind kinds sort sorts data"
    " api apis url urls http https tcp udp dns tls ssl sql json xml html java python stack gc jvm oom io mount"
    " mounts pages runbook runbooks document documents documentation knowledge base playbook skill health"
)
"""English words that stand where a service could be named and are none."""
OTHER_PRODUCTS = _words(
    "memcached rocketmq activemq nats pulsar opensearch logstash kibana fluentd filebeat nginx haproxy envoy"
    " istio traefik caddy jetty kubernetes kubelet etcd containerd coredns kube-proxy alertmanager loki"
    " jaeger hadoop hdfs spark flink hive hbase presto clickhouse cassandra consul vault nacos dubbo sentinel"
    " jenkins gitlab keycloak openstack nova ceph minio gateway systemd sudo postfix dovecot openvpn iptables"
    " auditd dbus-daemon networkmanager gunicorn celery uwsgi php-fpm airflow oracle sqlserver db2 tidb neo4j"
    " hikaricp"
)
"""Products and daemons: a service where it is asked about, a thing that a service uses where another one is."""
ACCOUNTS = _words("root admin administrator guest nobody ubuntu ec2-user")
"""Accounts that there are everywhere: of somebody, not of something."""
ENDINGS = _words(
    "service svc log logs json yaml yml conf cfg ini txt csv xml html md py js ts java go rb sh exe dll so jar war gz"
    " zip com net org io cn de eu uk dev app local internal lan socket timer target scope slice mount server api"
    " gateway worker d e g"
)
"""What follows a dot in the names of files, hosts and units, and not in those of people."""
NO_ONE_OF_SEVERAL = _words(
    "last past next first previous top over above under below least most every about around http https status code"
    " error exit signal port line lines page than from between to at after before since until till for by of in on"
    " and or with within during than limit exceeds exceed exceeded reached threshold jan feb mar apr may jun jul aug"
    " sep sept oct nov dec january february march april june july august september october november december day"
    " week month year hour minute q version release build java python node redis mysql postgres postgresql kafka"
    " windows ubuntu debian centos linux go php spring has have had was were is are returned returns answered got"
)
"""A number behind one of these names none of several things."""
HYPHENATED = _words(
    "real-time read-only write-only follow-up follow-ups end-to-end so-called out-of-memory day-to-day"
    " long-running short-lived in-memory on-call on-prem post-deploy pre-deploy non-zero non-critical"
    " time-out time-outs health-check health-checks re-run re-try up-to-date high-level low-level well-known"
    " start-up shut-down log-in log-ins oom-killer dead-lock sign-in sign-ins e-mail e-mails per-minute"
    " per-second error-free error-prone back-end front-end built-in multi-line one-off two-hour one-hour"
    " half-hour 5-minute last-minute state-of-the-art client-side server-side"
)

BEFORE_NAMES = _words(
    "in on for of from with at about by into to does did do is has was can are were had and or check"
    " investigate debug diagnose between behind through against inside across near via see will would could"
)
"""An English word right behind one of these may be the name of a service."""
BEING = _words("is are was were be been being")
"""What somebody is doing stands behind them: is timing out."""
ADJECTIVES = _words(
    "long the a an any some such new recent more other many much of kind sort type single all no not unusual"
    " strange weird suspicious obvious related relevant possible actual real major minor serious sudden"
    " unexpected similar further additional"
)
"""They say of what is asked for how much, or that it is."""
PRONOUNS = _words("anyone anybody someone somebody everyone nobody it they we you i he she one user users people")
"""Who does something: nothing that is searched for."""
LITTLE_WORDS = _words("a an the of in on at to for from by with is are was were be been not no and or")
"""Words that two texts share without saying the same."""


@cache
def products() -> frozenset[str]:
    """Every name of a product or daemon, lower case."""
    return (OTHER_PRODUCTS | {name for row in service_words.PRODUCTS for name in row}) - NOT_NAMES
