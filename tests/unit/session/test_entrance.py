"""R22: what comes from models and folders is masked at the door; a record is decided again as it stands."""

from __future__ import annotations

from domain.events import ToolRequest
from domain.model_reply import ErrorKind, ModelFailure, ModelReply
from domain.session.conversation import Surroundings
from domain.session.entrance import masked_outcome, masked_surroundings

REPLY = ModelReply(
    output='{"plan": ["password=hunter2"], "n": 1}',
    thought="the secret_key: hunter2 helps",
    tool_requests=(ToolRequest(call_id="a", tool_name="query_logs", arguments='{"query": "token=hunter2"}'),),
)


def test_every_text_of_a_reply_is_masked() -> None:
    masked = masked_outcome(REPLY, {}, [])
    assert isinstance(masked, ModelReply)
    assert "hunter2" not in repr(masked)
    assert masked.output == '{"plan": ["password=[masked:password]"], "n": 1}'
    assert masked.tool_requests[0].arguments == '{"query": "token=[masked:secret]"}'


def test_what_the_model_was_shown_stays_as_it_quotes_it() -> None:
    """The evidence was masked before: where its words look like a secret to another rule, they are none."""
    shown = [{"role": "tool", "content": '{"evidence_refs": [{"text": "used: 17179869184, \\"n\\": 13900001111"}]}'}]
    reply = ModelReply(output='"evidence_excerpt": "used: 17179869184, \\"n\\": 13900001111"')
    assert masked_outcome(reply, {}, shown) == reply
    assert masked_outcome(reply, {}, []) != reply


def test_own_patterns_and_dropped_sets_hold_for_replies() -> None:
    reply = ModelReply(output="badge 77 of a@x.io")
    masked = masked_outcome(reply, {"badge": "badge (?P<secret>[0-9]+)", "email": ""}, [])
    assert masked == ModelReply(output="badge [masked:badge] of a@x.io")


def test_a_failure_is_masked() -> None:
    failure = ModelFailure(ErrorKind.AUTH, "HTTP 401: Incorrect API key provided: my-own-key")
    assert masked_outcome(failure, {}, []) == ModelFailure(
        ErrorKind.AUTH, "HTTP 401: Incorrect API key provided: [masked:secret]"
    )


def test_names_and_headings_are_masked() -> None:
    given = Surroundings(
        knowledge_domains=("- db.md：password=hunter2",),
        skills=(("pw password=hunter2", "with --token hunter2 in it"),),
    )
    assert "hunter2" not in repr(masked_surroundings(given, {}))
