"""Words of the trade that the offline model weighs claims and lines by. Data, no rules."""

from __future__ import annotations

STATES = ("firing", "pending", "suppressed", "resolved", "inactive")
SEVERE = ("FATAL", "CRITICAL", "ERROR", "WARN", "WARNING")
"""Log levels worth reporting unasked, the worst first."""

CONCLUSIONS = (
    *(
        "根因",
        "导致",
        "引起",
        "造成",
        "由于",
        "因为",
        "因此",
        "泄漏",
        "耗尽",
        "已确认",
        "root cause",
        "caused",
        "because",
    ),
    *("due to", "led to", "therefore", "leak", "exhausted", "confirmed", "result of"),
)
"""Words that a quotation must hold itself: no overlap of names entails them."""
