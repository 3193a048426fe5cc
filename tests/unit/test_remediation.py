import pytest

from domain.agents.remediation import is_remediation

CHANGES = """重启 order-service|建议重启服务并查看日志|查看日志后重启服务|回滚到上一版本|将连接池扩容到 100
修改配置 maxPoolSize|调大堆内存|通过重启验证|检查后回滚|确认无误后执行回滚|清理磁盘|优化 SQL 并添加索引
限流|增加实例|需要确认并重启|修改 order-service 的 JVM 堆配置|收集日志，清理磁盘|重启后观察|紧急扩容
临时降级非核心接口|kill -9 进程|Restart the pod|roll back the release|Check logs, then restart
Verify by restarting the pod|scale out to 5 replicas|increase the pool size
kubectl rollout restart deploy/x|Increase memory limit|change configuration of HikariCP"""

COLLECTS = """查看重启记录|继续查看 order-service 的 GC 日志、堆 dump 或对象分配统计|检查最近的发布、回滚或扩容记录
确认是否发生过重启|查看重启前后的日志|查看重启后的内存曲线|分析扩容后的指标|评估是否需要扩容
联系 DBA 确认是否需要扩容|查询最近一次发布版本|不要重启，先收集日志|调整查询参数重新检索
继续查询模板缓存指标。|获取部署清单|统计重启次数|扩大时间窗口重新查询日志|对比发布前后的 P99
查看最近的配置变更记录|增加查询时间范围|补充堆 dump|收集重启原因|重启记录|Check restart history
Review the rollback plan|collect deploy events|look at restart counts and events
compare latency before and after the deploy"""


def words(table: str) -> list[str]:
    return [entry for line in table.splitlines() for entry in line.split("|")]


@pytest.mark.parametrize("action", words(CHANGES))
def test_an_action_that_changes_the_system_is_remediation(action):
    """R15: 重启, 回滚, 扩容, 修改配置, restart, …"""
    assert is_remediation(action)


@pytest.mark.parametrize("action", words(COLLECTS))
def test_looking_at_a_change_is_no_change(action):
    """R15: actions collect evidence, also about restarts and releases."""
    assert not is_remediation(action)


def test_the_declared_type_counts_too():
    """R15: an action that calls itself remediation is one."""
    assert is_remediation("继续观察", "Remediation")
    assert not is_remediation("继续观察", "evidence_collection")
