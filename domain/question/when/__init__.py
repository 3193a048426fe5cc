"""When: words of time in a question, their order, and the instants they name (R70)."""
