"""Makes a merge safe: revisions, semantic diffs and gated rollouts of LLM serving specs kept in Git."""

__version__ = "0.1.0"
