"""Kthena's ModelServing: what it means, what it refuses, what a change of it restarts."""
