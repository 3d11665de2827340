"""Real servers for tests, on 127.0.0.1 and a free port; each stops with its `with` block."""
