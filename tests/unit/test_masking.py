import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.evidence.masking import MaskPattern, mask, mask_output, mask_value


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("key sk-abcdefghijklmnop1234 used", "key [masked:api_key] used"),
        ("sk-ant-api03-AbCdEfGh_ijklmnop-qrst", "[masked:api_key]"),
        ("AKIAIOSFODNN7EXAMPLE", "[masked:api_key]"),
        ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "[masked:api_key]"),
        ("Authorization: Bearer abc.def-123456", "Authorization: Bearer [masked:token]"),
        ("Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic [masked:token]"),
        ("jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc", "jwt [masked:token]"),
        ("postgres://app:p@ss:w0rd@db.internal:5432/x", "postgres://app:[masked:password]@db.internal:5432/x"),
        ("redis://:hunter2@cache:6379", "redis://:[masked:password]@cache:6379"),
        ("db_password=hunter2, user=app", "db_password=[masked:password], user=app"),
        ("UID=sa;PWD=/s3cret;", "UID=sa;PWD=[masked:password];"),
        ('password: "correct horse"', 'password: "[masked:password]"'),
        ("密码：abc123，请", "密码：[masked:password]，请"),
        ("?access_token=abc&x=1", "?access_token=[masked:secret]&x=1"),
        ("mail zhang.san@example.com now", "mail [masked:email] now"),
        ("手机13812345678，请回电", "手机[masked:phone]，请回电"),
        ("tel 138-1234-5678", "tel [masked:phone]"),
        ("id 11010519491231002X ok", "id [masked:id_number] ok"),
        ("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY----- tail", "[masked:private_key] tail"),
        ("-----BEGIN PRIVATE KEY-----\nabc, cut off", "[masked:private_key]"),
    ],
)
def test_a_secret_is_replaced_by_its_kind(text, masked):
    """R22: the masked text says what was masked, and masking it again changes nothing."""
    assert mask(text)[0] == masked
    assert mask(masked)[0] == masked


@pytest.mark.parametrize(
    "text",
    [
        "service sk-order-service-worker-01 up",
        "ts=1762400000123 id=1762400000123456789",
        "heap_bytes=17179869184, 17179869184 bytes",
        '"value": "17179869184"',
        "trace_id=13812345678abc",
        "took 13812345678.5",
        "110105194912310021234",
        "bearer authentication failed",
        "password is incorrect",
        "token: expired",
        "密码错误，令牌已过期",
        "max_tokens=100",
        "postgres@db-a4 user@1000.service app_rw@cashbook",
        "http://host:8080/path@x",
        "sudo: deploy : TTY=pts/1 ; PWD=/home/deploy ; USER=root ; COMMAND=/usr/bin/id",
        "PWD=/ OLDPWD=/var/log/nginx",
    ],
)
def test_what_only_looks_like_a_secret_stays(text):
    """R22: evidence must not be lost to masking."""
    assert mask(text) == (text, {})


def test_secrets_are_counted_by_kind():
    """R22: the record says how often each kind was masked."""
    assert mask("a@x.io, b@x.io, 13812345678")[1] == {"email": 2, "phone": 1}


def test_json_stays_json_and_is_judged_with_its_keys():
    """R22: also numbers, whole values under a secret's name, and keys."""
    output = {
        "phone": 13812345678,
        "password": "two words",
        "apiKey": "k",
        "token": "expired",
        "bytes": 17179869184,
        "ok": True,
        "rows": [{"msg": "pw: password=x"}, {"a@x.io": 1, "b@x.io": 2}],
    }
    masked, counts = mask_value(output)
    assert masked == {
        "phone": "[masked:phone]",
        "password": "[masked:password]",
        "apiKey": "[masked:secret]",
        "token": "expired",
        "bytes": 17179869184,
        "ok": True,
        "rows": [{"msg": "pw: password=[masked:password]"}, {"[masked:email]": 1, "[masked:email]#1": 2}],
    }
    assert counts == {"phone": 1, "password": 2, "secret": 1, "email": 2}
    assert json.loads(mask_output(json.dumps(output))[0]) == masked


@pytest.mark.parametrize("output", ['{"a": 1.10,  "b":[1]}', "plain 1.10", "[1, 2"])
def test_output_without_a_secret_keeps_every_byte(output):
    """R22: values stand as the source wrote them."""
    assert mask_output(output) == (output, {})


def test_own_patterns_can_be_given():
    """R22: configurable patterns; only the group `secret` is replaced."""
    own = (MaskPattern("badge", r"badge (?P<secret>[0-9]+)"),)
    assert mask("badge 77, a@x.io", own) == ("badge [masked:badge], a@x.io", {"badge": 1})


def test_a_pattern_that_is_no_re2_expression_is_refused_by_name():
    """R22: bad configuration gets a clear error."""
    with pytest.raises(ValueError, match="mask pattern 'mine' is no RE2 expression"):
        MaskPattern("mine", r"(?=a)b")


@pytest.mark.timeout(60)
def test_no_pattern_and_no_text_makes_masking_hang():
    """R22: linear time, also for an expression that backtracking engines cannot finish."""
    hostile = (MaskPattern("x", r"(a*)*(a|aa)*b$"),)
    assert mask("a" * 200_000, hostile) == ("a" * 200_000, {})
    for unit in ("a@", "http://a:", "-----BEGIN PRIVATE KEY-----", "password=", "1", "sk-a-"):
        mask_output(unit * (300_000 // len(unit)))


@settings(deadline=None)
@given(st.text(st.characters(), max_size=80) | st.text("password=:\"' @.com138123456789sk-\n", max_size=80))
def test_masking_never_fails_and_its_result_can_be_stored(text):
    """R22: any text."""
    for masked, _ in (mask(text), mask_output(text)):
        masked.encode()
