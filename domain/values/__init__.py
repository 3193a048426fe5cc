"""What a text states: numbers with units, times, and names (R37)."""
