"""What a tool call proves: extraction, masking, the trace summary (R17 to R22, R43 to R45)."""
