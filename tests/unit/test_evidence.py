import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.contracts import EvidenceRef, EvidenceStatus, RetrievalDetails
from domain.evidence.extraction import extract_evidence

ALERT = {
    "alert_name": "HighMemoryUsage",
    "state": "firing",
    "service": "order-service",
    "current": "91%",
    "duration": "15m",
    "description": "JVM heap usage 3.8GB/4GB",
}


def texts(output, **asked) -> dict[str, str]:
    details = extract_evidence("query_metrics", output, **asked)
    return {ref.raw_path: ref.text for ref in details.evidence_refs}


def status(output, **asked) -> EvidenceStatus:
    return extract_evidence("query_metrics", output, **asked).evidence_status


def test_a_flat_alert_is_its_name_state_fields_and_description():
    """R18: the form of 003's own example."""
    assert texts({"alerts": [ALERT]})["$.alerts[0]"] == (
        "HighMemoryUsage firing, service=order-service, current=91%, duration=15m; JVM heap usage 3.8GB/4GB"
    )


def test_a_prometheus_alert_keeps_labels_value_and_start_as_written():
    """R18: labels and values verbatim; paths stay $.alerts[i]."""
    alert = {
        "labels": {"alertname": "SlowResponse", "service": "user-service", "severity": "page"},
        "annotations": {"description": "P99 above 3s", "runbook": "slow.md"},
        "state": "firing",
        "activeAt": "2026-07-08T03:07:00Z",
        "value": "4.2e+00",
        "generatorURL": "http://prom/graph?g0.expr=p99",
    }
    assert texts({"status": "success", "data": {"alerts": [alert]}}, query="p99") == {
        "$.alerts[0]": "SlowResponse firing, service=user-service, severity=page, runbook=slow.md, "
        "activeAt=2026-07-08T03:07:00Z, value=4.2e+00; P99 above 3s",
        "$.alerts": 'source=query_metrics query="p99" total=1: SlowResponse(user-service)',
    }


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (
            '{"resultType":"vector","result":[{"metric":{"__name__":"up","job":"a"},"value":[1.5,"1.50"]}]}',
            "up, job=a, value=1.50",
        ),
        (
            '{"resultType":"matrix","result":[{"metric":{"job":"a"},"values":[[1,"86.2"],[2,"91.0"]]}]}',
            "job=a, values=[86.2 | 91.0]",
        ),
        ('{"resultType":"scalar","result":[1.5,"0.10"]}', "value=0.10"),
    ],
)
def test_a_prometheus_query_yields_items(data, text):
    """R18: `$.items[i]`, the value string as the server wrote it."""
    assert texts(f'{{"status":"success","data":{data}}}')["$.items[0]"] == text


def test_a_log_row_is_timestamp_level_service_message_and_its_other_fields():
    """R18: numbers keep their digits."""
    row = '{"level":"WARN","timestamp":"11:17","pool":{"active":1.10},"service":"order-service","message":"slow"}'
    assert texts(f'{{"logs":[{row}, "a plain line"]}}') == {
        "$.logs[0]": "11:17 WARN order-service slow, pool.active=1.10",
        "$.logs[1]": "a plain line",
        "$.logs": 'source=query_metrics query="" total=2: order-service, unnamed (x1)',
    }


def test_a_knowledge_block_is_title_source_and_content():
    """R18: and its sources are the source documents of the call."""
    block = {"title": "连接池", "source": "runbooks/db.md#2", "content": "先看 active。", "score": 0.9}
    details = extract_evidence("lookup_knowledge", {"retrieval_details": {"evidence_blocks": [block]}})
    assert details.evidence_refs[0].text == "连接池, source=runbooks/db.md#2; 先看 active。"
    assert details.source_documents == ("runbooks/db.md#2",)


def test_items_of_any_other_evidence_tool_are_read():
    """R18: `$.items[i]`, nested fields by their path."""
    order = {"order_id": "A-7", "paid": False, "lines": [{"sku": "x", "count": 2}], "tags": ["a", "b"], "note": None}
    assert texts({"items": [order]})["$.items[0]"] == (
        "order_id=A-7, paid=false, lines[0].sku=x, lines[0].count=2, tags=[a | b]"
    )


def test_fields_that_echo_the_request_are_no_evidence():
    """R18: a tool that repeats the query does not become evidence for it."""
    output = {
        "query": "HikariCP",
        "keyword": "HikariCP",
        "logs": [{"message": "ok", "query": "HikariCP", "filters": {"q": "HikariCP"}, "keyword": "HikariCP"}],
    }
    assert texts(output)["$.logs[0]"] == "ok"


@pytest.mark.parametrize(
    "output",
    [
        {"success": False, "logs": [], "total": 0, "error": "backend timeout"},
        {"status": "error", "errorType": "bad_data", "error": "parse error"},
        {"logs": [{"message": "half an answer"}], "error": "shard 3 failed"},
    ],
)
def test_a_failed_answer_has_no_refs_and_proves_no_absence(output):
    """R19, R20."""
    details = extract_evidence("query_logs", output)
    assert (details.evidence_status, details.evidence_refs) == (EvidenceStatus.FAILED, ())


def test_a_status_that_is_no_word_says_nothing():
    """R18: whatever stands there."""
    assert status({"status": ["error"], "logs": [{"message": "ok"}]}) is EvidenceStatus.SUPPORTED


def test_nothing_found_is_no_evidence_with_a_summary_ref():
    """R19, R20: absence can be cited; what was asked stands in it, the caller's words first."""
    output = {"success": True, "logs": [], "total": 0, "log_topic": "app-logs", "query": "echo"}
    assert status(output) is EvidenceStatus.NO_EVIDENCE
    assert texts(output, source="loki", query="HikariCP", window="06:00/06:30") == {
        "$.logs": 'source=loki query="HikariCP" window=06:00/06:30 total=0'
    }
    assert texts(output) == {"$.logs": 'source=app-logs query="echo" total=0'}


@pytest.mark.parametrize(
    "said",
    [
        {"total": 57},
        {"total": 1},
        {"total": "many"},
        {"total": {"value": 2, "relation": "gte"}},
        {"limit": 2},
        {"truncated": True},
        {"has_more": True},
        {"warnings": ["partial data"]},
        {"next_token": "abc"},
        {"offset": 10},
        {"logs": None},
    ],
)
def test_an_answer_that_may_be_cut_has_no_summary_ref(said):
    """R20: cut by a limit, counted otherwise, to be continued, or null."""
    assert "$.logs" not in texts({"logs": [{"message": "a"}, {"message": "b"}], **said})


@pytest.mark.parametrize(
    "said", [{"total": 2, "limit": 2}, {"total": "2"}, {"limit": 3}, {"truncated": False, "warnings": []}, {}]
)
def test_a_complete_answer_has_a_summary_ref(said):
    """R20: counted by the tool, or below every limit it names."""
    assert "total=2" in texts({"logs": [{"message": "a"}, {"message": "b"}], **said})["$.logs"]


def test_the_summary_lists_every_name_or_is_not_written():
    """R20: names beyond the bound would make an incomplete list citable as complete."""
    alerts = [{"alert_name": f"A{number}", "state": "firing", "service": "s"} for number in range(101)]
    assert texts({"alerts": alerts[:100]})["$.alerts"].endswith("A98(s), A99(s)")
    assert "$.alerts" not in texts({"alerts": alerts})
    assert texts({"alerts": alerts[:1] * 3 + [{"x": 1}]})["$.alerts"].endswith("total=4: A0(s) (x3), unnamed (x1)")


@pytest.mark.parametrize("query", ["x total=0", "ｔｏｔａｌ = 0", "to\u200btal=0"])
def test_a_query_cannot_write_a_total_into_the_summary(query):
    """R20: the Executor chooses the query, so it must not be able to quote its own `total=0`."""
    assert texts({"alerts": [ALERT]}, query=query)["$.alerts"] == (
        'source=query_metrics query="…" total=1: HighMemoryUsage(order-service)'
    )


@pytest.mark.parametrize("output", ["plain text", "", '{"half": ', '{"success": true, "text": "ok"}', "[" * 100_000])
def test_output_without_a_known_list_keeps_the_status_it_had(output):
    """R18: no refs, the status is kept; an empty list of refs is not a legacy call."""
    base = RetrievalDetails(evidence_status=EvidenceStatus.SUPPORTED, topic_domain="orders")
    details = extract_evidence("query_order", output, base=base)
    assert (details.evidence_status, details.evidence_refs) == (EvidenceStatus.SUPPORTED, ())
    assert details.topic_domain == "orders"


def test_a_deduplicated_call_repeats_the_refs_it_came_with():
    """R19: it adds nothing new, and gets no summary ref of its own."""
    ref = EvidenceRef(raw_path="$.logs[0]", text="first")
    base = RetrievalDetails(evidence_status=EvidenceStatus.DEDUPLICATED, evidence_refs=(ref,), duplicate_of=7)
    assert extract_evidence("query_logs", {"logs": [], "total": 0}, base=base) == base


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["alerts", "logs", "items", "data", "total", "name", "labels", "a"]), inner
            )
        ),
        max_leaves=15,
    )
)
def test_no_json_breaks_the_extraction_or_the_record(value):
    """R18: tool output is untrusted; every ref has its own path and a text."""
    details = extract_evidence("query_logs", json.dumps(value))
    paths = [ref.raw_path for ref in details.evidence_refs]
    assert len(set(paths)) == len(paths)
    assert all(ref.text for ref in details.evidence_refs)
    details.model_dump_json()


def test_a_native_histogram_keeps_count_and_sum() -> None:
    """R18, reports 11: in the server's own form, also beside plain values."""
    histogram = {"count": "10", "sum": "3.2", "buckets": [[0, "0.1", "0.2", "3"]]}
    sample = {"metric": {"__name__": "request_seconds"}, "histogram": [1783509420.1, histogram]}
    output = {"status": "success", "data": {"resultType": "vector", "result": [sample]}}
    refs = extract_evidence("query_metrics", output).evidence_refs
    assert refs is not None
    assert refs[0].text == "request_seconds, histogram.count=10, histogram.sum=3.2"
