"""Writes manifests/crds from the models: `make manifests`. A test keeps the files true."""

from pathlib import Path

from gitops_rollout.api.crds import crds
from gitops_rollout.api.values import at
from gitops_rollout.documents.emit import emit

if __name__ == "__main__":
    for crd in crds():
        path = Path(__file__).parent / "crds" / f"{at(crd, 'metadata', 'name')}.yaml"
        path.write_text(emit(crd), encoding="utf-8")
