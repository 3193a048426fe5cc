"""The evaluation harness: cases with expectations, run through the whole chain (R63)."""
