"""Words in the names of services: kinds, business names in both languages, products, and words that name none. Data."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SERVICE = ("service", "svc", "srv", "services", "microservice")
"""The kinds that are one: order-svc is order-service."""

KINDS = ("service", "svc", "server", "gateway", "worker", "backend")
"""A compound that ends in one of them names a service wherever it stands."""

KINDS_ASKED = (*KINDS, "api", "app", "job")
"""The same in a query, which holds less else."""

SERVICE_ZH = ("微服务", "服务", "系统")
"""订单系统 is order-service too."""

PERHAPS_SERVICE = (
    *("server", "api", "app", "application", "backend", "web", "core", "main", "center", "centre", "platform"),
    *("system", "module", "provider", "component", "中心", "平台", "模块", "应用", "后端", "接口"),
)
"""The same thing may be called so: whether order-api is order-service, the name does not say."""

CALLED = frozenset((*SERVICE, *KINDS_ASKED, *PERHAPS_SERVICE, "db", "engine", "proxy", "agent", "scheduler"))
"""What the last word of a service's name may be: order_core is no measure."""

APPLICATION = ("app", "application")
"""Behind a name that is whole without it: order-service-app.log is a file of order-service."""

BUSINESS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("订单", ("order",)),
    ("支付", ("payment", "pay")),
    ("用户", ("user",)),
    ("库存", ("inventory", "stock")),
    ("通知", ("notification", "notify")),
    ("网关", ("gateway",)),
    ("认证", ("auth", "authentication")),
    ("账户", ("account",)),
    ("商品", ("product", "goods", "item")),
    ("购物车", ("cart", "shopping-cart")),
    ("搜索", ("search",)),
    ("消息", ("message", "messaging")),
    ("物流", ("logistics",)),
    ("配送", ("shipping", "delivery")),
    ("优惠券", ("coupon",)),
    ("会员", ("member", "membership")),
    ("结算", ("settlement", "checkout")),
    ("退款", ("refund",)),
    ("计费", ("billing",)),
    ("发票", ("invoice",)),
    ("促销", ("promotion",)),
    ("营销", ("marketing",)),
    ("推荐", ("recommendation", "recommend")),
    ("评论", ("review", "comment")),
    ("仓储", ("warehouse",)),
    ("价格", ("pricing", "price")),
    ("风控", ("risk", "risk-control")),
    ("积分", ("points",)),
    ("报表", ("report", "reporting")),
    ("邮件", ("mail", "email")),
    ("短信", ("sms",)),
    ("登录", ("login",)),
)
"""订单服务 is order-service: Chinese, English."""

PRODUCTS: tuple[tuple[str, ...], ...] = (
    ("sshd", "ssh", "openssh", "openssh-server", "sshd-session", "sshd-auth"),
    ("mysqld", "mysql", "mysql-server"),
    ("mariadbd", "mariadb", "mariadb-server"),
    ("postgres", "postgresql", "pgsql", "postmaster"),
    ("httpd", "apache", "apache2"),
    ("redis", "redis-server"),
    ("mongod", "mongodb", "mongo"),
    ("rabbitmq", "rabbitmq-server"),
    ("kafka", "kafka-server"),
    ("zookeeper", "zookeeper-server"),
    ("elasticsearch", "elastic-search"),
    ("crond", "cron", "anacron"),
    ("kernel", "kern", "linux-kernel"),
    ("named", "bind", "bind9"),
    ("dockerd", "docker", "docker-daemon"),
    ("rsyslogd", "rsyslog"),
    ("ntpd", "ntp"),
    ("chronyd", "chrony"),
    ("tomcat", "catalina"),
    ("istio-proxy", "istio-envoy", "envoy-sidecar"),
    ("logind", "systemd-logind"),
    ("influxd", "influxdb"),
    ("grafana", "grafana-server"),
    ("prometheus", "prometheus-server"),
    ("fail2ban", "fail2ban-server"),
    ("systemd-networkd", "networkd"),
    ("systemd-resolved", "resolved"),
    ("systemd-udevd", "udevd"),
    ("systemd-journald", "journald"),
)
"""Programs that write their logs under several names."""

OVERSEERS = _words(
    "kernel kern systemd systemdoomd earlyoom oomd init kubelet kubecontrollermanager kubescheduler eventexporter"
    " servicecontrolmanager applicationerror applicationhang netruntime windowserrorreporting"
    " kubernetesevents dockerd docker containerd crio podman supervisord supervisor pm2 monit nomad runit upstart"
)
"""Programs that run others and write of them: the kernel kills order-service, systemd says that it failed."""

DAEMONS = _words(
    "su dhclient dhcpcd dnsmasq logrotate rsyslogd syslogd snapd polkitd cups cupsd udevd irqbalance smartd snmpd"
    " xinetd sendmail exim4 useradd usermod userdel groupadd groupdel chpasswd"
)
"""Programs of one plain word that write to syslog without their process."""

RUNTIMES = _words("java node python python2 python3 ruby php php-fpm dotnet gunicorn uwsgi beam.smp perl deno bun")
"""What a process is called by its overseer where many services are run by the same program."""

QUALIFIERS = _words(
    "new old pre re sub back bulk work purchase sales legacy mock fake test canary shadow internal external"
    " admin mobile web api batch proxy beta gray"
)
"""Before a name they make another one of it: purchase-order-service-1 is no order-service of a project `purchase`."""

GENERIC = _words(
    "app apps application applications main service services server system all root log logs logging logger"
    " access error errors err warn warning info debug trace out output stdout stderr std console stdlog nohup"
    " json jsonl ndjson csv tsv ltsv text syslog messages message auth authpriv secure kern daemon user mail maillog"
    " cron boot"
    " bootstrap dmesg local0 local7 lpr news uucp journal remote catalina localhost manager host hosts spring gc"
    " jvm thread threads dump audit security event events alert slow query request requests http https otel"
    " compose export default prod production prd dev develop development test tests testing stage staging stg uat"
    " sit pre preprod qa gray grey release beta live demo pods pod containers container docker k8s kubernetes"
    " kube namespaces namespace node nodes cluster worker workers job jobs task tasks instance instances var opt"
    " srv usr tmp home data mnt volume volumes run lib local share archive archives archived old backup backups"
    " bak history rotated rotate tar current latest today yesterday previous prev last daily hourly weekly raw a"
    " an the of and my ip sample samples example examples file files unknown null none unnamed 日志 应用 服务"
    " 系统 归档 备份 错误 访问 默认"
)
"""Words that name no service by themselves: a file app.log, a folder pods, a stage."""

FILE_WORDS = _words(
    "log logs previous access error errors err warn warning info debug trace fatal out output stdout stderr"
    " console json gc audit slow all std current 日志 错误"
)
"""At either end of a file's name they tell what of the service is in it: order-service-error.log."""

LIBRARIES = _words("django flask fastapi rails express laravel symfony logback log4j logrus winston pino logcat")
"""Frameworks and libraries whose logs services write: django.log is of whatever is made with it."""
SERVERS = _words(
    "gunicorn uvicorn hypercorn uwsgi celery puma unicorn sidekiq passenger tomcat catalina jetty undertow"
    " php phpfpm fpm pm2 node nodejs java python dotnet"
)
"""Programs that run a service and call the file of its log after themselves: the folder knows better whose it is."""
FOLDER_WORDS = _words("log logs access error errors err stdout stderr out output console 日志 错误")
"""At the end of a folder's name they tell what of the service lies there; other words of FILE_WORDS belong to it."""

FILE_GENERIC = LIBRARIES | _words(
    "sys biz business common sql page digest perf performance monitor monitoring metrics stat stats statistics"
    " schedule scheduled scheduler timer batch rpc dubbo web api framework core base startup shutdown init"
    " install exception exceptions operation operations oper interface thirdparty client hs java jvm heapdump"
    " dump heap pid"
)
"""Words for what a file holds: alone in its name they tell of no service, though one may be called so elsewhere."""
