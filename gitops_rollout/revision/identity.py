"""What a revision is called: content decides, and a name is only a name."""

import hashlib

from gitops_rollout.api.values import Json
from gitops_rollout.semantics.canonical import canonical_bytes

FORMAT = 1
"""The format that this version writes; it stands in the digest, so that another one cannot collide."""


def digest(form: Json) -> str:
    """Give the full identity of a canonical form: 64 hex digits of a SHA-256."""
    return hashlib.sha256(f"gitops-rollout/{FORMAT}\n".encode() + canonical_bytes(form)).hexdigest()


def revision_id(full: str, collisions: int = 0) -> str:
    """Give the short name `r` + 10 hex; after a collision another one, the same each time."""
    if collisions:
        full = hashlib.sha256(f"{full}/{collisions}".encode()).hexdigest()
    return "r" + full[:10]


def data_digest(data: Json) -> str:
    """Give the checksum of a recorded source text: what is read back must be what was written (R26)."""
    return hashlib.sha256(canonical_bytes(data)).hexdigest()
