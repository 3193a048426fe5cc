"""Models: the client for OpenAI-compatible servers, and the offline model `extractive` behind the same client."""
