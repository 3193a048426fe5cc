"""What agents write and are given, and how it is read (R2, R11 to R16, R31, R33, R46)."""
