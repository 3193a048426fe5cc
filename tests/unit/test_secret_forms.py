"""R22: the table of secrets, both sides: what must be masked, and what only looks like one."""

from __future__ import annotations

import json
import time

import pytest

from domain.evidence.masking import mask, mask_output, mask_value, patterns_with
from domain.evidence.secret_forms import OPTIONAL
from domain.evidence.token_prefixes import TOKEN_PREFIXES

SMALL, DIGITS, HEX = "q7w2k9m4x8c1v6b3n5z0", "7302948156", "9f3c7a1e5b0d8264"


def small(length: int) -> str:
    return (SMALL * length)[:length]


def mixed(length: int) -> str:
    return ("aB3dE6gH9jK2mN5pQ8sT1vW4yZ7" * length)[:length]


def upper(length: int) -> str:
    return ("Q7W2K4M5X3C6V7B2N4Z5" * length)[:length]


def hexes(length: int) -> str:
    return (HEX * length)[:length]


P = "hunter2-S3cr3t"
"""A password; what is masked is where it stood."""

KEYED = [
    f"password={P}",
    f"PASSWORD = {P}",
    f"DB_PASSWORD={P}",
    f"spring.datasource.password={P}",
    f"passwd: {P}",
    f"passphrase: {P}",
    f"pass={P}",
    f"db_pass={P}",
    f"MYSQL_PASS={P}",
    f"dbpass={P}",
    f"pwd={P}",
    f"Server=db;User Id=sa;Pwd={P};Encrypt=true",
    f"Server=db;Database=x;User Id=sa;Password={P};",
    f"密码：{P}",
    f"密码＝{P}",
    f"密码:{P}",
    f"口令是 {P}",
    f"密鑰：{P}",
    f"密钥为{P}",
    f"令牌：{P}",
    f"授权码：{P}",
    f"password＝{P}",
    f"password：{P}",
    f"SECRET_KEY={P}",
    f"SECRET_KEY_BASE64={P}",
    f"secretKey: {P}",
    f"AWS_SECRET_ACCESS_KEY={P}/abcdefghij",
    f"aws_secret_access_key = {P}",
    f"DefaultEndpointsProtocol=https;AccountName=a;AccountKey={P}==;EndpointSuffix=core.windows.net",
    f"Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=root;SharedAccessKey={P}=",
    f"client_secret={P}",
    f"clientSecret: '{P}'",
    f"api_key={P}",
    f"apikey: {P}",
    f"x-api-key: {P}",
    f"X-Auth-Token: {P}",
    f"X-Vault-Token: {P}",
    f"PRIVATE-TOKEN: {P}",
    f"Ocp-Apim-Subscription-Key: {P}",
    f"encryption_key={P}",
    f"signing-key: {P}",
    f"SLACK_TOKEN={P}",
    f"githubToken={P}",
    f"refresh_token={P}",
    f"?access_token={P}&x=1",
    f"token: {P}",
    f'"password": "{P}"',
    f'"password" : "a \\"quoted\\" {P}"',
    f"'password' => '{P}'",
    f'{{\\"password\\":\\"{P}\\"}}',
    f'body="{{\\"apiKey\\": \\"{P}\\", \\"n\\": 1}}"',
    f'body="{{\\\\\\"secret\\\\\\":\\\\\\"{P}\\\\\\"}}"',
    f'"passwords": ["{P}", "{P}"]',
    f"passwords=[{P}, {P}]",
    f"password: |\n  {P}\n  {P}\nuser: app",
    f"  secretKey: >-\n    {P}\n  user: app",
    f"export API_TOKEN='{P}'",
    f"<password>{P}</password>",
    f'<add key="Password" value="{P}" />',
    f"requirepass {P}",
    f"machine api.example login app password {P}",
    f"CREATE USER app IDENTIFIED BY '{P}'",
    f"ALTER ROLE app WITH PASSWORD '{P}'",
    f"tests pass={P}",
]
COMMANDS = [
    f"mysql --password {P} -h db",
    f"mysql -uroot -p{P} shop",
    f"mysqldump --password={P} shop",
    f"app --api-key {P} --verbose",
    f'app --token "{P}"',
    f"app --client-secret '{P}'",
    f"app -password {P}".replace("-password", "--passwd"),
    f"sshpass -p {P} ssh db",
    f"redis-cli -h cache -a {P} ping",
    f"curl -u admin:{P} https://x/",
    f"curl -s --user 'admin:{P}' https://x/",
    f"sqlplus scott/{P}@orcl",
    f"mongosh -u root -p{P}",
]
ADDRESSES = [
    f"postgres://app:{P}@db:5432/x",
    f"redis://:{P}@cache:6379",
    f"amqp://guest:{P}@mq//",
    f"mongodb+srv://u:{P}@cluster0.mongodb.net/x",
    f"https://user:{P}@proxy:3128",
    f"jdbc:oracle:thin:scott/{P}@//db:1521/x",
    f"jdbc:mysql://db/x?user=app&password={P}",
    f"https://{hexes(32)}@o1.ingest.sentry.io/1",
    "https://x/c?sv=2022&sig=Ab%2Bcd1234567890efgh%3D",
    f"https://b.s3.amazonaws.com/k?X-Amz-Algorithm=A&X-Amz-Signature={hexes(64)}",
    f"https://oss/k?OSSAccessKeyId=LTAI{mixed(20)}&Signature={mixed(28)}%3D",
    "https://hooks.slack.com/services/T00000000/B00000000/" + mixed(24),
    f"https://discord.com/api/webhooks/123456789012345678/{mixed(68)}",
    "https://open.feishu.cn/open-apis/bot/v2/hook/0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0",
    "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0",
    f"https://oapi.dingtalk.com/robot/send?access_token={hexes(64)}",
    f"https://api.telegram.org/bot123456789:A{mixed(34)}/getMe",
    f"https://x.webhook.office.com/webhookb2/{hexes(36)}@{hexes(36)}/IncomingWebhook/{hexes(32)}/{hexes(36)}",
]
HEADERS = [
    "Cookie: session=s3cr3tS3ss10nV4lue",
    "Set-Cookie: sessionid=abcdef1234567890; HttpOnly; Path=/",
    'cookie="JSESSIONID=0123456789ABCDEF"',
    "JSESSIONID=0123456789ABCDEF0123456789ABCDEF",
    "PHPSESSID=q7w2k9m4x8c1v6b3n5z0",
    'Authorization: Digest username="app", realm="x", nonce="dcd98b71", response="6629fae49393a053"',
    'Digest username="app", response="6629fae49393a05397450978507c4ef1"',
    "Authorization: Bearer abc.def-123456",
    "Authorization: Basic dXNlcjpwYXNz",
    "authorization=Negotiate YIIKoAYGKwYBBQUCoIIKlDCC",
    f"Authorization: {mixed(32)}",
    "Proxy-Authorization: Basic dXNlcjpwYXNzd29yZA==",
    f"Authorization: AWS4-HMAC-SHA256 Credential=AKIA{upper(16)}/20260708/x, Signature={hexes(64)}",
    '{\\"Authorization\\":\\"Bearer ' + mixed(24) + '\\"}',
    "Basic dXNlcjpwYXNzd29yZA==",
]
TOKENS = [
    f"sk-ant-api03-{mixed(40)}-{mixed(20)}AA",
    f"sk-proj-{mixed(20)}-{mixed(20)}_{mixed(10)}",
    f"sk-svcacct-{mixed(48)}",
    f"sk-{mixed(48)}",
    f"sk-or-v1-{hexes(64)}",
    f"AKIA{upper(16)}",
    f"ASIA{upper(16)}",
    f"LTAI{mixed(20)}",
    f"AIza{mixed(35)}",
    f"ya29.{mixed(60)}",
    f"GOCSPX-{mixed(28)}",
    f"ghp_{mixed(36)}",
    f"gho_{mixed(36)}",
    f"github_pat_{mixed(22)}_{mixed(59)}",
    f"glpat-{mixed(20)}",
    f"glrt-{mixed(20)}",
    f"gldt-{mixed(20)}",
    f"glptt-{hexes(40)}",
    f"GR1348941{mixed(20)}",
    f"xoxb-123456789012-123456789012-{mixed(24)}",
    f"xapp-1-A0123456789-0123456789012-{hexes(64)}",
    f"xoxe.xoxp-1-{upper(60)}",
    f"hf_{mixed(34)}",
    f"npm_{mixed(36)}",
    f"pypi-AgEIcHlwaS5vcmc{mixed(60)}",
    f"rubygems_{hexes(48)}",
    f"dckr_pat_{mixed(27)}",
    f"oy2{small(43)}",
    f"hvs.{mixed(95)}",
    f"hvb.{mixed(140)}",
    f"s.{mixed(24)}",
    f"{mixed(14)}.atlasv1.{mixed(64)}",
    f"dop_v1_{hexes(64)}",
    f"doo_v1_{hexes(64)}",
    f"dapi{hexes(32)}",
    f"dt0c01.{upper(24)}.{mixed(64)}",
    f"glsa_{mixed(32)}_{hexes(8)}",
    f"glc_{mixed(60)}",
    f"sntrys_eyJpYXQiO{mixed(60)}_{mixed(43)}",
    f"sntryu_{hexes(64)}",
    f"sk_live_{mixed(24)}",
    f"rk_test_{mixed(24)}",
    f"whsec_{mixed(32)}",
    f"SG.{mixed(22)}.{mixed(43)}",
    f"xkeysib-{hexes(64)}-{small(16)}",
    f"key-{hexes(32)}",
    f"SK{hexes(32)}",
    f"shpat_{hexes(32)}",
    f"shpss_{hexes(32)}",
    f"sq0atp-{mixed(22)}",
    f"EAAA{mixed(60)}",
    f"PMAK-{hexes(24)}-{hexes(34)}",
    f"NRAK-{upper(27)}",
    f"lin_api_{mixed(40)}",
    f"ntn_{DIGITS}1{mixed(35)}",
    f"secret_{mixed(43)}",
    f"pul-{hexes(40)}",
    f"pscale_tkn_{mixed(43)}",
    f"pplx-{mixed(48)}",
    f"gsk_{mixed(52)}",
    f"r8_{mixed(37)}",
    f"sgp_{hexes(40)}",
    f"sha256~{mixed(43)}",
    f"ATATT3{mixed(186)}",
    f"AKCp{mixed(69)}",
    f"API-{upper(26)}",
    f"ops_eyJ{mixed(260)}",
    f"A3-{upper(6)}-{upper(11)}-{upper(5)}-{upper(5)}-{upper(5)}",
    f"AGE-SECRET-KEY-1{upper(58)}",
    f"abc8Q~{mixed(34)}",
    f"123456789:A{mixed(34)}",
    f"tskey-auth-{mixed(16)}-{mixed(30)}",
    f"sbp_{hexes(40)}",
    f"dp.pt.{mixed(43)}",
    f"duffel_live_{mixed(43)}",
    f"EZAK{mixed(54)}",
    f"fo1_{mixed(43)}",
    f"HRKU-AA{mixed(58)}",
    f"AKID{mixed(32)}",
    f"assay_{mixed(43)}",
    f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.{mixed(43)}",
    f"ZXlKaGJHY2lPaUpJVXpJMU5pSjku{mixed(40)}",
]
KEYS = [
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----MIIEvQIBADAN-----END PRIVATE KEY-----",
    "-----BEGIN EC PRIVATE KEY-----\\nMHcCAQEE\\n-----END EC PRIVATE KEY-----",
    "-----BEGIN PGP PRIVATE KEY BLOCK-----\nxcLY\n-----END PGP PRIVATE KEY BLOCK-----",
    f"MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj{mixed(64)}",
    f"MHcCAQEEI{mixed(60)}=",
    "$2b$12$EixZaYVK1fsbw1ZfbX3OXePaWxn96p36WQoeG6Lruj3vjPGga31lW",
    "$6$rounds=5000$usesomesillystri$D4IrlXatmP7rx3P3InaxBeoomnAihCKR",
    "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$RdescudvJCsgt3ub+b4dWRWJ",
]
MASKED = [*KEYED, *COMMANDS, *ADDRESSES, *HEADERS, *TOKENS, *KEYS]

STAYS = [
    "commit 3f5a9c1b7d2e4f60815a9c3b7d2e4f60815a9c3b",
    f"sha256:{hexes(64)}",
    "image@sha256:" + hexes(64),
    f"md5={hexes(32)}",
    f"etag: \"{hexes(32)}\"",
    "trace_id=4bf92f3577b34da6a3ce929d0e0e4736 span_id=00f067aa0ba902b7",
    "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "x-request-id: 0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0",
    "session_id=019a2290-5f0e-7c39-9a3e-2f1d7a0b8c4d",
    "order-service-7d9f8b6c5-x2x9z restarted",
    "ask-order-service-worker-01 up",
    "task-scheduler-7d9f8b6c5d-abcde",
    "kube-system/coredns-5d78c9869d-abcde",
    "v1.28.3+k3s1 go1.21.4 1.2.3-rc.1+build.5",
    "docker run -p8080:80 -p 443:443 nginx",
    "docker run -p8080:80 mysql",
    "tests pass=12",
    "tests pass=12 fail=0 skip=3",
    "pass: 12, fail: 0",
    "result: pass",
    "pass rate 98.5%",
    "bypass=true compass=north",
    "password is incorrect",
    "password: incorrect",
    'reason="password expired"',
    "Invalid password for user app",
    "密码错误，令牌已过期",
    "密码：错误",
    "token: expired",
    "token=invalid",
    'unexpected token: "}"',
    "syntax error near unexpected token: done",
    "max_tokens=4096 prompt_tokens=12 completion_tokens: 7",
    "nextPageToken=CAoQAA next_token=abcdef1234567890",
    "tokens=512/s",
    "secretName: tls-order, imagePullPolicy: Always",
    "primary_key=id partition_key=42 routing_key=orders.created cache_key=user:42",
    "key=order-service sort_key=a",
    "keyspace: orders keyboard=us monkey=1",
    "api_key_id=42",
    "SSH host key fingerprint SHA256 changed",
    "bearer authentication failed",
    "Basic authentication required",
    "Digest authentication is not supported",
    "authorization: denied",
    "Authorization header missing",
    "cookie: disabled",
    "cookies accepted: 3",
    "killed by sig=11 (SIGSEGV)",
    "signal=9 sig=15",
    "signature=valid",
    "https://hooks.slack.com/ is down",
    "https://api.example.com/v1/orders?page=2&sort=created",
    "http://10.0.0.7:8080/health",
    "postgres@db-a4 user@1000.service app_rw@cashbook",
    "git@github.com:org/repo.git".replace("git@github.com", "git@host"),
    "ssh://git@host:22/x",
    "redis://cache:6379/0",
    "arn:aws:iam::123456789012:role/app",
    "i-0abcd1234ef567890 vpc-0a1b2c3d4e5f67890",
    "ERR_POOL_42 ORA-00942 E11000 NullPointerException",
    "com.example.order.OrderService.process(OrderService.java:142)",
    "0x7ffd5e8e3f10 at libc.so.6+0x29d90",
    "ts=1762400000123 id=1762400000123456789",
    "heap_bytes=17179869184, 17179869184 bytes",
    "http_requests_total{code=\"500\"} 31",
    "sk-learn pipeline", "risk-assessment-service-2024 ready",
    "disk-pressure-taint-manager-abcdef", "desk-booking-frontend-7f",
    "SKU12345678 SK-1234", "SG.1", "key-value store", "s.close() s.length",
    "AKIA is a prefix", "ghp_ is a prefix",
    "api-server-5f6d7c8b9-x2x9z", "re_try_count=3", "live_sessions=42", "test_order_service_handles_timeouts",
    "${DB_PASSWORD}", "password=${DB_PASSWORD}", "password=****", 'password: "[REDACTED]"',
    "PWD=/home/app", "sudo: deploy : TTY=pts/1 ; PWD=/home/deploy ; USER=root",
    "mysql -p shop", "curl -u admin https://x/", "ls --passwords-file x",
    "login user app password authentication failed",
    "the secret of good logs",
    "eyJ is how a JWT begins",
]  # fmt: skip


def test_the_table_is_large_enough() -> None:
    assert len(MASKED) >= 150
    assert len(STAYS) >= 80


@pytest.mark.parametrize("text", MASKED)
def test_a_secret_is_masked_in_plain_text(text: str) -> None:
    masked, counts = mask(text)
    assert counts, masked
    assert P not in masked
    assert mask(masked)[0] == masked


@pytest.mark.parametrize("text", [*COMMANDS, *ADDRESSES, *HEADERS, *TOKENS])
def test_nothing_of_its_value_is_left(text: str) -> None:
    """What only the secret holds is gone to its end, and what stands behind it is left."""
    masked = mask(f"2026-07-08 INFO {text}\nend")[0]
    values = (
        mixed(12),
        hexes(16),
        upper(12),
        small(12),
        "s3cr3tS3ss10nV4lue",
        "6629fae4",
        "dXNlcjpwYXNz",
        "cd1234567890",
    )
    assert [value for value in values if value in masked] == []
    assert masked.startswith("2026-07-08 INFO ")
    assert masked.endswith("\nend")


@pytest.mark.parametrize("text", MASKED)
def test_a_secret_is_masked_where_it_stands_in_json(text: str) -> None:
    """In a field of its own, and JSON within JSON; what is JSON stays JSON."""
    document = {"logs": [{"message": text, "n": 1}], "body": json.dumps({"inner": text})}
    for whole in (json.dumps(document), json.dumps(document, ensure_ascii=False, indent=1)):
        masked, counts = mask_output(whole)
        assert counts
        assert P not in masked
        assert json.loads(masked)["logs"][0]["n"] == 1


@pytest.mark.parametrize("text", MASKED)
def test_json_that_is_masked_as_text_stays_json(text: str) -> None:
    """A model's reply is masked as it stands: duplicate keys and its layout are kept for whoever judges it."""
    masked, counts = mask(json.dumps({"claims": [{"claim_text": text}], "n": 1}, ensure_ascii=False))
    assert counts
    assert P not in masked
    assert json.loads(masked)["n"] == 1


@pytest.mark.parametrize("text", STAYS)
def test_what_is_no_secret_stays(text: str) -> None:
    assert mask(text) == (text, {})
    assert mask_value({"message": text}) == ({"message": text}, {})


@pytest.mark.parametrize(("prefix", "least"), [(prefix, least) for prefix, _, least in TOKEN_PREFIXES])
def test_a_prefix_alone_is_no_token(prefix: str, least: int) -> None:
    plain = prefix.partition("(")[0].partition("[")[0].replace("\\", "")
    if plain and least > 1:
        assert mask(f"the {plain} prefix")[1] == {}


def test_a_mark_of_somebody_elses_hides_no_secret() -> None:
    assert mask("[masked: password=hunter2]")[1] == {"password": 1}
    assert mask("[masked:x]password=hunter2")[1] == {"password": 1}


def test_numbers_and_lists_keep_json_whole() -> None:
    text = '{"password": 12345, "tokens": 7, "secret": ["a b", "c"], "phone": 13812345678}'
    assert json.loads(mask(text)[0]) == {
        "password": "[masked:password]",
        "tokens": 7,
        "secret": ["[masked:secret]"],
        "phone": "[masked:phone]",
    }


def test_what_is_indented_less_than_a_block_stays() -> None:
    text = "spec:\n  password: |\n    a1\n\n    b2\n  replicas: 3\n"
    assert mask(text)[0] == "spec:\n  password: |\n    [masked:secret]\n  replicas: 3\n"


def test_what_was_shown_before_is_no_secret_any_more() -> None:
    """A quotation must go on being one: the same eleven digits, behind another word than in the evidence."""
    shown = 'heap_bytes=17179869184 {\\"note\\": \\"reached 17179869184\\"}'
    assert mask("used: 17179869184, call 13812345678", shown=shown)[0] == "used: 17179869184, call [masked:phone]"


@pytest.mark.parametrize("kind", OPTIONAL)
def test_a_set_can_be_left_out(kind: str) -> None:
    text = {"email": "zhang.san@example.com", "id_number": "11010519491231002X", "phone": "13812345678"}[kind]
    assert mask(text)[1] == {kind: 1}
    assert mask(text, patterns_with({kind: ""})) == (text, {})
    assert mask(f"{text} password={P}", patterns_with({kind: ""}))[1] == {"password": 1}


HOSTILE = (
    "password=", "password: |\n ",
    "\\\\\\\"password\\\\\\\":", "cookie: a=b; ", "Digest a=b, ", "mysql -p ", "curl -u ",
    "a.b-c_", "://a:", "eyJ", "sk-", "[masked:", "password=[", "-----BEGIN PRIVATE KEY-----", "a@", "1 ",
    "{\"a\":", "<token>",
    "\"password\":\"\\", "token" , "x-api-key" , "  \n", "\u3000密码",
)  # fmt: skip


@pytest.mark.timeout(300)
@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_text_takes_no_longer_than_plain_text_with_secrets(unit: str) -> None:
    """Linear in the text: a megabyte made to be slow, against one of ordinary lines with a password each."""
    benign = f"2026-07-08T12:00:00Z ERROR order-service took 4200ms password={P} user=zhang\n"

    def seconds(text: str) -> float:
        started = time.process_time()
        mask(text)
        return time.process_time() - started

    mask(benign)
    plain = min(seconds(benign * (1_000_000 // len(benign))) for _ in range(2))
    assert seconds(unit * (1_000_000 // len(unit))) < 12 * plain + 0.5
