"""All read models, in the order in which they are shown and read together.

While a release brings a new version of one, the version before stands here too: it is followed until the switch and can
be rolled back to (R56).
"""

from __future__ import annotations

from projections.agent_step import AGENT_STEP
from projections.diagnosis_session import DIAGNOSIS_SESSION
from projections.read_model import ReadModel
from projections.self_evaluation import SELF_EVALUATION
from projections.session_headline import SESSION_HEADLINE
from projections.tool_invocation import TOOL_INVOCATION

READ_MODELS: tuple[ReadModel, ...] = (DIAGNOSIS_SESSION, AGENT_STEP, TOOL_INVOCATION, SELF_EVALUATION, SESSION_HEADLINE)
