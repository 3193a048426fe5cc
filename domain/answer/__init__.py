"""What the user is shown (R46 to R49)."""
