"""Gateway API objects: what the API server takes, what we render, and who answers a request."""
