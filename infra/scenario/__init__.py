"""The built-in sample scenario: data in the formats of real sources, with its own clock (SPEC section 15)."""
