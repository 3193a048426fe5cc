"""What proves that the log is the one that was recorded: signed heads, and what is found where it is not (R60)."""
