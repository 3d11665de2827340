"""Typed Kubernetes semantic equality: quantities, canonical forms, changes by name."""
