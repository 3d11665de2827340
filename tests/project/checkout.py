"""The checkout that the tests run in: its files, and what kubectl makes of its kustomizations."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]


def files(*patterns: str) -> list[Path]:
    """List the files that are, or would be, committed."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    paths = [ROOT / name for name in listed.split("\0") if name]
    return sorted({path for path in paths if path.is_file()})


def build(folder: Path) -> list[dict[str, Any]]:
    """Build a kustomization with the kubectl of this environment."""
    kubectl = Path(sys.executable).with_name("kubectl")
    built = subprocess.run([kubectl, "kustomize", folder], check=True, capture_output=True, text=True)
    return list(yaml.safe_load_all(built.stdout))


def documents(path: Path) -> list[dict[str, Any]]:
    """Read the documents of a file that we wrote."""
    return list(yaml.safe_load_all(path.read_text(encoding="utf-8")))


def ident(path: Path) -> str:
    """Name a path in a test's id."""
    return path.relative_to(ROOT).as_posix()
