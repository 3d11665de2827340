"""The adapters against the real thing."""
