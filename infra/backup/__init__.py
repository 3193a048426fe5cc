"""Backup and restore of everything that cannot be computed again (R67)."""
