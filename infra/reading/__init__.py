"""Untrusted bulk is read in processes of limited memory, time and output, apart from the worker's loop and secrets."""
