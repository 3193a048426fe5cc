"""Is each quotation real? Code only, no model (R20, R23, R25 to R28)."""
