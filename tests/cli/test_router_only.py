"""Commands say where a rollout would be of routers alone, and where it would not although it could."""

from pathlib import Path

import pytest

from gitops_rollout.documents.emit import emit
from tests import gitrepo
from tests.cli.shell import Team, run
from tests.rollout.router_only import NEW, OLD, OTHERS, graph

OWN = """
apiVersion: gitops-rollout.io/v1alpha1
kind: RevisionRollout
metadata: {name: chat, namespace: serving}
spec:
  workload: dgd/chat
  strategy: NewGraph
  renamesGraph: Accepted
  compatibility: [{edge: [router, worker], contract: CONTRACT}]
  gateway: {parentRefs: [{name: edge}], component: Frontend, implementation: istio}
"""
CHAT = ("dgd/chat", "-n", "serving")
ONE, TWO = OWN.replace("CONTRACT", "one"), OWN.replace("CONTRACT", "two")


def side(folder: Path, router: str, policy: str, workers: str = "engine:1.0.0") -> Path:
    folder.mkdir()
    (folder / "chat.yaml").write_text(emit(graph(router, workers)), encoding="utf-8")
    (folder / "policy.yaml").write_text(policy, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("policy", "workers", "said"),
    [
        (ONE, "engine:1.0.0", ["a rollout of it is Frontend alone: the workers of stable serve both"]),
        (TWO, "engine:1.0.0", ["a rollout of it is a whole graph, although only routers changed"]),
        (ONE, OTHERS, []),
    ],
)
def test_diff_says_whether_workers_would_serve_both(
    tmp_path: Path, policy: str, workers: str, said: list[str]
) -> None:
    before, after = side(tmp_path / "a", OLD, ONE), side(tmp_path / "b", NEW, policy, workers)
    (told,) = run("diff", before, after, "-o", "json").json["workloads"]
    codes = ("ROUTERS_ONLY", "WHOLE_GRAPH")
    found = [one["message"] for one in told["warnings"] if one["code"] in codes]
    assert [one.startswith(words) for one, words in zip(found, said, strict=True)] == [True] * len(said)


def test_plan_and_history_say_whose_workers_serve(team: Team) -> None:
    team.commit({"policy.yaml": ONE, "chat.yaml": emit(graph(OLD))})
    team("once")
    team("once")
    (attach,) = [one for one in team.gates() if "attach" in one]
    gitrepo.merge(team.output, "main", attach)
    team("once")
    team.commit({"chat.yaml": emit(graph(NEW))})
    planned = team("plan")
    assert "Frontend alone: the workers of chat serve both" in planned.err
    team("once")
    names = [one["revision"] for one in team.json("history", *CHAT)["revisions"]]
    compared = team.json("history", *CHAT, "--diff", names[1], names[0])
    assert "ROUTERS_ONLY" in [one["code"] for one in compared["warnings"]]
