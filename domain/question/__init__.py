"""What a question asks for, read once and by code: terms, period, exclusions, and the kind of answer (R70)."""
