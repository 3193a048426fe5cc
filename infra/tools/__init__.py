"""Read-only tools: what an agent may look at, and what comes back."""
