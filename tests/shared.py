"""The oracle beside the checkout: verdicts of real Kubernetes code, cases, real manifests."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(os.environ.get("GITOPS_ROLLOUT_SHARED", Path(__file__).resolve().parents[2] / "shared"))


def shared(*parts: str) -> Path:
    """Give a path of the oracle; skip where it is not there, fail in CI."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        reason = f"{path} is missing: lay the oracle beside the checkout or set GITOPS_ROLLOUT_SHARED"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    return path


def vectors(name: str) -> Any:
    """Give one file of vectors."""
    return json.loads(shared("vectors", name).read_text(encoding="utf-8"))


def case(name: str, *parts: str) -> Path:
    """Give a case's folder, or a file in it."""
    return shared("cases", name, *parts)
