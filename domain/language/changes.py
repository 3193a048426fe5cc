"""Words of changes that stand before incidents: releases, configuration, restarts … (R90). A kind a row."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from domain.language.finder import Finder
from domain.language.form import search_form

READ = 600  # characters of a message in which such words are sought


@dataclass(frozen=True, slots=True)
class Change:
    """One kind of change. `zh`: words; `en`: expressions in lower case that begin and end with a whole word."""

    name: str
    zh: str
    en: str


CHANGES: tuple[Change, ...] = (
    Change(
        "deployment",
        "部署|发布|上线|版本回滚|回滚到|回滚版本|滚动更新|灰度|扩容|缩容",
        r"deploy(?:ed|ing|ment|ments)|deploy (?:of|to|started|finished|complete|completed|job|succeeded)"
        r"|roll(?:ed|ing)?[ -]?out"
        r"|roll(?:ed|ing)?[ -]?back (?:to|of|from|the|release|deployment|version|complete|completed|started|finished)"
        r"|scal(?:ed|ing) (?:up|down|from|to)|autoscaler|desired replicas"
        r"|replica ?set|new image|pulled image|canary|argo ?cd|helm (?:upgrade|install)",
    ),
    Change("release", "版本升级|升级到|新版本", r"releas(?:e|ed|ing)|upgrad(?:e|ed|ing)|version changed|new version"),
    Change(
        "configuration",
        "配置变更|配置更新|配置已|修改配置|加载配置|重载|重新加载",
        r"config(?:uration|map)? (?:was |has been )?(?:chang|updat|reload|appli|push|sync)(?:e|ed|es|ing)"
        r"|(?:chang|updat|reload|appl|push)(?:e|ed|ing|y|ied|ying) (?:the |new )?config(?:uration|map)?"
        r"|reload(?:ed|ing)|parameter .{1,80} changed to|sighup|settings? (?:changed|updated)",
    ),
    Change(
        "restart",
        "重启|启动完成|已启动|停止服务|正在关闭|优雅关闭",
        r"restart(?:ed|ing)?|reboot(?:ed|ing)?|start(?:ed|ing) (?:application|service|server|container)"
        r"|started \S{1,80} (?:\S{1,40} ){0,3}in \d|\S{1,40} started in \d|starting \S{1,80} version"
        r"|shutting down|shut ?down|sigterm|terminating|ready to accept connections"
        r"|listening on|back-off restarting|main process exited|killing container",
    ),
    Change(
        "migration",
        "数据迁移|迁移脚本|表结构变更|执行迁移",
        r"migrat(?:e|ed|ing|ion|ions)|flyway|liquibase|alembic|(?:alter|drop|create|truncate) (?:table|index|database)"
        r"|reindex(?:ed|ing)?|schema change",
    ),
    Change(
        "feature_flag",
        "特性开关|功能开关|开关已|开关切换|灰度开关|活动开始|大促|限流规则",
        r"feature[ _-]?(?:flag|toggle)s?|flag \S{1,80} (?:is |was |set )?(?:on|off|to|enabled|disabled)|toggled"
        r"|campaign|promotion started|batch job started|cron(?:job)? started|backup started",
    ),
    Change(
        "certificate",
        "证书",
        r"certificates?|x509|tls cert|cert-manager|keystore|truststore|not yet valid",
    ),
    Change(
        "kernel",
        "内核|磁盘只读|节点不可用|节点失联",
        r"out of memory: kill(?:ed)? process|oom-kill(?:er)?|invoked oom-killer|remounting filesystem read-only"
        r"|i/o error|nic link is (?:up|down)|link is (?:up|down)|mce: |soft lockup|hung_task|thermal|nodenotready"
        r"|node .{1,80} (?:not ready|notready)|cordon(?:ed)?|drain(?:ed|ing) node|preempt(?:ed|ing)|evict(?:ed|ing)"
        r"|failover|promoted to (?:primary|master|leader)|leader election|became leader",
    ),
    Change(
        "connection_loss",
        "连接断开|连接丢失|失去连接|断连|主从切换",
        r"connection (?:lost|closed|reset|refused)|lost connection|disconnected|connection to .{1,80} lost"
        r"|network is unreachable|no route to host|name resolution|no such host|peer (?:left|is down)|partitioned",
    ),
    Change(
        "secret",
        "密钥轮换|凭据更新|密码已修改",
        r"(?:keys?|secrets?|credentials?|passwords?|tokens?) (?:(?:was|were|has been|have been) )?"
        r"(?:rotat|renew|chang|updat|revok)ed"
        r"|(?:rotat|renew|revok)(?:ed|ing) (?:the |a )?(?:\S{1,40} )?"
        r"(?:keys?|secrets?|credentials?|passwords?|tokens?)",
    ),
)


def change_of(message: str) -> str:
    """The kind of change that a message tells of, the first of the list that does; "" if of none. Linear."""
    form = search_form(message[:READ])
    return next((name for name, finder in _finders() if finder.stands_in(form)), "") if _any().stands_in(form) else ""


@cache
def _finders() -> tuple[tuple[str, Finder], ...]:
    return tuple((change.name, Finder(_expression(change))) for change in CHANGES)


@cache
def _any() -> Finder:
    return Finder("|".join(finder.expression for _, finder in _finders()))


def _expression(change: Change) -> str:
    return rf"(?<![a-z0-9_])(?:{change.en})(?![a-z0-9_])|{change.zh}"
