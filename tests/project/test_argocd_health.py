"""The health check that Argo CD is given for a ModelServing, run in Lua without libraries."""

from typing import Any

import pytest

from tests.project.checkout import ROOT, documents

lua51 = pytest.importorskip("lupa.lua51", reason="pip install lupa")

(CONFIG,) = documents(ROOT / "deploy/argocd/argocd-cm.yaml")
CHECK = CONFIG["data"]["resource.customizations.health.workload.serving.volcano.sh_ModelServing"]
LIBRARIES = "string, math, os, io, package, require = nil"


def health(spec: dict[str, Any], status: dict[str, Any] | None) -> str:
    lua = lua51.LuaRuntime(unpack_returned_tuples=True)
    lua.execute(LIBRARIES)
    served = {"metadata": {"generation": 3}, "spec": spec, "status": status}
    check = lua.eval(f"function(obj)\n{CHECK}\nend")
    return str(
        check(lua.table_from({k: v for k, v in served.items() if v is not None}, recursive=True))["status"]
    )


def reported(updated: int, condition: str = "Available", generation: int = 3) -> dict[str, Any]:
    return {
        "observedGeneration": generation,
        "updatedReplicas": updated,
        "conditions": [{"type": "Progressing", "status": "False"}, {"type": condition, "status": "True"}],
    }


def held(
    partition: int | str, replicas: int = 4, strategy: str = "ServingGroupRollingUpdate"
) -> dict[str, Any]:
    configuration = {"rollingUpdateConfiguration": {"partition": partition}}
    return {"replicas": replicas, "rolloutStrategy": {"type": strategy, **configuration}}


def test_what_kthena_has_not_seen_is_progressing() -> None:
    assert health({"replicas": 4}, None) == "Progressing"
    assert health({"replicas": 4}, reported(4, generation=2)) == "Progressing"


@pytest.mark.parametrize(
    ("spec", "updated", "expected"),
    [
        ({"replicas": 4}, 4, "Healthy"),
        ({"replicas": 4}, 3, "Progressing"),
        ({}, 1, "Healthy"),
        (held(3), 1, "Healthy"),
        (held(3), 0, "Progressing"),
        (held(0), 3, "Progressing"),
        (held("50%"), 2, "Healthy"),
        (held("50%"), 1, "Progressing"),
        (held("30%", replicas=5), 3, "Healthy"),
        (held("30%", replicas=5), 2, "Progressing"),
        (held("100%"), 0, "Healthy"),
        (held(9), 0, "Healthy"),
        ({"replicas": 4, "rolloutStrategy": {"type": "RoleRollingUpdate"}}, 0, "Healthy"),
    ],
)
def test_healthy_is_that_the_groups_which_may_move_have_moved(
    spec: dict[str, Any], updated: int, expected: str
) -> None:
    assert health(spec, reported(updated)) == expected


@pytest.mark.parametrize("condition", ["UpdateInProgress", "Progressing"])
def test_moved_but_not_available_is_progressing(condition: str) -> None:
    assert health({"replicas": 4}, reported(4, condition)) == "Progressing"
