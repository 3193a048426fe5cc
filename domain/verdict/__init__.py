"""From checked facts to a verdict and a route (R34 to R41, R57)."""
