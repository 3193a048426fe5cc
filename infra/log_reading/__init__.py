"""Reading folders of logs: what is in them, as lines, and what is not read."""
