"""Which program builds kustomizations."""

from pathlib import Path

import pytest

from gitops_rollout.errors import BadSettings
from gitops_rollout.source.build import find_binary


def test_a_binary_that_is_named_and_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match="nothing"):
        find_binary(str(tmp_path / "nothing"))


def test_a_binary_is_looked_for_on_the_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_binary(None) is None
    for name in ("kubectl", "kustomize"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
        assert find_binary(None) == tmp_path / name
