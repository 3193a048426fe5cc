"""Which texts tell of a failure: lines of real logs, and both sides of each line that is drawn."""

from __future__ import annotations

import pytest

from domain.language.failures import FAILURES, holds_failure

TELLING = """\
Failed password for root from 203.0.113.9 port 22 ssh2
pam_unix(sshd:auth): authentication failure; logname= uid=0
logrotate: ALERT exited abnormally with [1]
kernel: Out of memory: Killed process 4711 (java) total-vm:8388608kB
kernel: order-service[9]: segfault at 0 ip 00007f3c
kernel: BUG: soft lockup - CPU#3 stuck for 22s! [kworker/3:1]
kernel: INFO: task jbd2/sda1-8:214 blocked for more than 120 seconds.
kernel: Buffer I/O error on dev sdb1, logical block 0
kernel: EXT4-fs (sda1): Remounting filesystem read-only
kernel: e1000e: eth0 NIC Link is Down
systemd[1]: order.service: Main process exited, code=exited, status=1/FAILURE
systemd[1]: order.service: Failed with result 'exit-code'.
postfix/smtp[1]: to=<a@b>, status=bounced (host said: 550 user unknown)
sudo: bob : user NOT in sudoers ; TTY=pts/0
java.net.SocketTimeoutException: Read timed out
Caused by: java.lang.NullPointerException
Traceback (most recent call last):
panic: runtime error: index out of range
thread 'main' panicked at 'boom'
level=info msg="dial tcp 10.0.0.1:5432: connect: connection refused"
err="context deadline exceeded"
Connection is not available, request timed out after 30000ms
timeout of 3000ms exceeded
dial: lookup db: no such host
write: no space left on device
Deadlock found when trying to get lock
container exited with code 137
"GET /orders HTTP/1.1" 503 12
{"path":"/a","status":500}
attempt 0 failed
disk 0 failure
error: 0x80070005
errors: 3
10 passed, 2 failed
Unable to acquire JDBC Connection
can’t open the file
permission denied
ERROR
连接失败
订单处理异常
请求超时
数据库死锁
拒绝访问
服务崩溃
磁盘已满
错误: 没有权限
无法连接数据库
服务故障，已切换
""".splitlines()

NO_FAILURES = """\
Accepted publickey for root from 203.0.113.9 port 22 ssh2
session opened for user root by (uid=0)
0 errors
no errors found
found 0 read errors
10 passed, 0 failed
errors: 0
error=0 status=200
error=null
error=""
err=<nil>
"errors":0,"ok":1
failed=0
failures: 0
error_count=0
RX errors 0  dropped 0
without any errors
did not fail
non-fatal
timeout=30
connectTimeout=5000
timeout: 30000
Established session with negotiated timeout 10000 for client /10.0.0.1
GET /static/errors.html HTTP/1.1" 200 512
opened /var/log/nginx/error.log
writing to error.log
errors=remount-ro
Command line: panic=1 oops=panic
vm.panic_on_oops = 0
error handler installed
failover completed
fail2ban.server started
exit code 0
exited with code 0
HTTP/1.1" 200 500
"GET /orders HTTP/1.1" 404 12
default route added
mirror is up
a skilled worker
crashkernel=auto
无异常
没有错误
未发现异常
错误数: 0
0 个错误
错误 0 条
异常：无
失败次数=0
异常处理器已注册
超时时间=30
超时设置已更新
避免死锁
订单创建成功
""".splitlines()


@pytest.mark.parametrize("line", TELLING)
def test_a_line_that_tells_of_a_failure(line: str) -> None:
    """R68: such a line is shown although its format gives no level."""
    assert holds_failure(line)


@pytest.mark.parametrize("line", NO_FAILURES)
def test_a_line_that_tells_of_none(line: str) -> None:
    """R68: counts of none, denials, settings and names of files exclude as any other line does."""
    assert not holds_failure(line)


@pytest.mark.parametrize("line", ["\x1b[31mdenied\x1b[0m", "ｅｒｒｏｒ", "fai\u200bled", "#033[31mrefused#033[0m"])
def test_a_failure_is_found_in_whatever_form_it_is_written(line: str) -> None:
    """R68: colours, width and invisible characters do not hide it."""
    assert holds_failure(line)


def test_one_failure_among_denied_ones_counts() -> None:
    """R68: "0 errors" does not answer for the rest of the line."""
    assert holds_failure("errors=0 warnings=2 then the disk failed")
    assert not holds_failure("errors=0 failures=0 timeouts: 0")


def test_a_long_text_of_denied_failures_is_read_to_its_end() -> None:
    """R72: a hostile entry costs no more than its length."""
    assert not holds_failure("error=0 " * 5_000)
    assert holds_failure("error=0 " * 5_000 + "refused")


def test_every_kind_of_failure_has_both_languages() -> None:
    """R68: a column a language, and every Chinese word is known by itself."""
    assert all(chinese and english for chinese, english in FAILURES)
    words = [word for chinese, _ in FAILURES for word in chinese.split()]
    assert len(words) == len(set(words))
    assert [word for word in words if not holds_failure(f"订单{word}")] == []
