"""From v1alpha1 to v1beta1: who wins where two fields say the same thing."""

import pytest

from gitops_rollout.api.values import Json, Object
from gitops_rollout.kinds.dynamograph.convert import component_of, main_container, native
from gitops_rollout.kinds.dynamograph.kind import DYNAMO_GRAPH as KIND
from gitops_rollout.semantics.canonical import canonical_bytes
from tests.kinds.dynamograph.manifests import accepted, alpha, component, gpu_pod, graph, service, update


def both(main: Object, **dedicated: Json) -> Object:
    """Give the main container of a service that says things in two places."""
    return main_container({**dedicated, "extraPodSpec": {"mainContainer": main}})


@pytest.mark.parametrize(
    ("written", "kind", "sub"),
    [
        ({"componentType": "worker", "subComponentType": "prefill"}, "prefill", None),
        ({"componentType": "worker", "subComponentType": "decode"}, "decode", None),
        ({"componentType": "worker", "subComponentType": "encode"}, "worker", "encode"),
        ({"componentType": "prefill", "subComponentType": "prefill"}, "prefill", "prefill"),
        ({"componentType": "main"}, "main", None),
        ({}, None, None),
    ],
)
def test_a_subtype_of_workers_is_a_type(written: Object, kind: str | None, sub: str | None) -> None:
    found = component_of("x", written)
    assert (found.get("type"), found.get("subComponentType")) == (kind, sub)


def test_the_key_of_a_service_is_its_name() -> None:
    assert component_of("decode", {"serviceName": "other"})["name"] == "decode"


def test_the_main_container_is_called_main_and_stands_first() -> None:
    extra: Object = {"mainContainer": {"name": "x"}, "containers": [{"name": "a"}, {"name": "main"}]}
    template = component_of("x", {"extraPodSpec": extra, "frontendSidecar": {"image": "r"}})["podTemplate"]
    assert template == {
        "spec": {"containers": [{"name": "main"}, {"name": "a"}, {"name": "sidecar-frontend", "image": "r"}]}
    }


def test_variables_of_both_places_are_one_list_and_the_main_container_wins() -> None:
    found = both(
        {"env": [{"name": "B", "value": "2"}, {"name": "C"}]},
        envs=[{"name": "B", "value": "1"}, {"name": "A"}],
    )
    assert found["env"] == [{"name": "B", "value": "2"}, {"name": "A"}, {"name": "C"}]


def test_mounts_of_both_places_are_added_those_of_the_container_first() -> None:
    found = both(
        {"volumeMounts": [{"name": "b", "mountPath": "/b"}]}, volumeMounts=[{"name": "a", "mountPoint": "/a"}]
    )
    assert found["volumeMounts"] == [{"name": "b", "mountPath": "/b"}, {"name": "a", "mountPath": "/a"}]


def test_sources_of_variables_are_not_added() -> None:
    own: Json = [{"configMapRef": {"name": "c"}}]
    assert both({"envFrom": own}, envFromSecret="s")["envFrom"] == own
    assert both({"envFrom": []}, envFromSecret="s")["envFrom"] == [{"secretRef": {"name": "s"}}]


def test_amounts_and_probes_are_laid_over_each_other() -> None:
    found = both(
        {
            "resources": {"limits": {"cpu": 0, "memory": "2Gi"}},
            "readinessProbe": {"periodSeconds": 5, "timeoutSeconds": 0},
        },
        resources={"limits": {"cpu": "1", "gpu": "2"}},
        readinessProbe={"periodSeconds": 9, "timeoutSeconds": 3},
    )
    assert found["resources"] == {"limits": {"cpu": 0, "memory": "2Gi", "nvidia.com/gpu": "2"}}
    assert found["readinessProbe"] == {"periodSeconds": 5, "timeoutSeconds": 3}


def test_gpus_stand_under_their_type() -> None:
    item: Object = {"gpu": "1", "gpuType": "gpu.intel.com/xe", "custom": {"example.com/nic": "2"}}
    assert native({"requests": item}) == {"requests": {"gpu.intel.com/xe": "1", "example.com/nic": "2"}}


def test_the_first_cache_counts_and_is_mounted_too() -> None:
    mounts: Json = [
        {"name": name, "mountPoint": f"/{name}", "useAsCompilationCache": name != "a"} for name in "abc"
    ]
    found = component_of("x", {"volumeMounts": mounts})
    assert found["compilationCache"] == {"pvcName": "b", "mountPath": "/b"}
    assert len(main_container({"volumeMounts": mounts})["volumeMounts"]) == 3  # type: ignore[arg-type]


def test_features_are_absent_until_they_are_enabled() -> None:
    off: Object = {"gpuMemoryService": {"enabled": False}, "failover": {"enabled": False, "mode": "interPod"}}
    assert "experimental" not in component_of("x", off)
    on = component_of("x", {"gpuMemoryService": {"enabled": True, "mode": "interPod"}})
    assert on["experimental"] == {"gpuMemoryService": {"mode": "InterPod"}}


def test_shared_memory_that_is_disabled_has_no_size() -> None:
    off = alpha({"decode": service(sharedMemory={"disabled": True, "size": "1Gi"})})
    zero = graph(component(type_="worker", sharedMemorySize="0"))
    assert canonical_bytes(KIND.canonical(accepted(off).text)) == canonical_bytes(
        KIND.canonical(accepted(zero).text)
    )


def test_a_component_that_says_nothing_has_the_operators_defaults() -> None:
    said = component(sharedMemorySize="8Gi", podTemplate=gpu_pod(1), multinode={"nodeCount": 2})
    unsaid = component(podTemplate=gpu_pod(1), multinode={})
    assert update(graph(said), graph(unsaid)).changes == ()
