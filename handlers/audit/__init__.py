"""What auditors do with recorded sessions: sign, verify, decide again, export, erase (R59 to R62)."""
