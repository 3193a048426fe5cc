"""The tools that the model knows how to use, by the names they are offered under."""

METRICS = "query_metrics"
LOGS = "query_logs"
SURVEY = "survey_logs"
KNOWLEDGE = "lookup_knowledge"
SKILL = "read_skill"
