"""The read models in PostgreSQL: kept at the end of the log, queried, rebuilt beside what serves (R54 to R56)."""
