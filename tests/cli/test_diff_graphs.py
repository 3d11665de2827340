"""diff of a graph says what its strategy makes of a change."""

import json
from pathlib import Path

import pytest

from tests.cli.shell import run
from tests.kinds.dynamograph.manifests import component, frontend, graph
from tests.kinds.manifests import pod


def folder(place: Path, image: str, strategy: str) -> Path:
    """Write a disaggregated graph whose decoder runs `image`, and its policy."""
    decode = component(podTemplate=pod(image))
    value = graph(frontend(), component("prefill", "prefill"), decode)
    spec = {"workload": "dgd/chat", "strategy": strategy, "proof": "Cluster"}
    policy = {
        "apiVersion": "gitops-rollout.io/v1alpha1",
        "kind": "RevisionRollout",
        "metadata": {"name": "chat", "namespace": "serving"},
        "spec": spec,
    }
    place.mkdir()
    (place / "chat.yaml").write_text(json.dumps(value), encoding="utf-8")
    (place / "policy.yaml").write_text(json.dumps(policy), encoding="utf-8")
    return place


@pytest.mark.parametrize(
    ("strategy", "restarts"), [("Whole", ["decode", "prefill"]), ("InPlace", ["decode"])]
)
def test_in_place_a_worker_draws_no_other_along(tmp_path: Path, strategy: str, restarts: list[str]) -> None:
    old, new = (folder(tmp_path / one, f"engine:{one}", strategy) for one in ("1", "2"))
    (told,) = run("diff", old, new, "-o", "json").json["workloads"]
    assert sorted(one["name"] for one in told["components"] if one["verdict"] == "RESTART") == restarts
