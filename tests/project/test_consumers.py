"""What Argo CD and Flux are told: how they find the output, and that nothing waits for anything (R5)."""

from typing import Any

from tests.project.checkout import ROOT, build, documents, files

ARGO = {o["metadata"]["name"]: o for o in build(ROOT / "deploy/argocd")}
FLUX = {o["metadata"]["name"]: o for o in build(ROOT / "deploy/flux")}
WORKLOADS = ARGO["gitops-rollout-workloads"]["spec"]
OTHERS = ARGO["gitops-rollout-others"]["spec"]
KUSTOMIZATIONS = {name: o["spec"] for name, o in FLUX.items() if o["kind"] == "Kustomization"}


def keys(value: Any) -> set[str]:
    """Collect every key of a document, at any depth."""
    match value:
        case dict():
            return set(value).union(*(keys(child) for child in value.values()))
        case list():
            return set().union(*(keys(child) for child in value))
        case _:
            return set()


def paths(spec: Any) -> set[str]:
    return {d["path"] for generator in spec["generators"] for d in generator["git"]["directories"]}


def options(spec: Any) -> list[str]:
    return list(spec["template"]["spec"]["syncPolicy"]["syncOptions"])


def test_capacity_and_traffic_are_applications_of_their_own() -> None:
    assert paths(WORKLOADS) == {"rollouts/*/*/capacity", "rollouts/*/*/traffic"}
    assert WORKLOADS["template"]["metadata"]["name"].endswith(".{{.path.basename}}")


def test_no_application_applies_what_another_applies() -> None:
    assert paths(OTHERS) == {"rollouts/*/_others", "rollouts/_cluster"}
    assert all("FailOnSharedResource=true" in options(spec) for spec in (WORKLOADS, OTHERS))


def test_nothing_waits_for_anything() -> None:
    told = [
        document
        for path in files("deploy/argocd/*.yaml", "deploy/flux/*.yaml")
        for document in documents(path)
    ]
    forbidden = {
        "dependsOn",
        "readyExpr",
        "healthChecks",
        "strategy",
        "retry",
        "argocd.argoproj.io/sync-wave",
        "argocd.argoproj.io/hook",
    }
    assert len(told) >= 8
    assert not forbidden & keys(told)


def test_traffic_is_not_asked_about_capacity_nor_capacity_about_traffic() -> None:
    kinds = {
        name: {check["kind"] for check in spec["healthCheckExprs"]} for name, spec in KUSTOMIZATIONS.items()
    }
    assert kinds == {
        "rollouts-capacity": {"ModelServing"},
        "rollouts-traffic": {"HTTPRoute", "InferencePool"},
    }


def test_traffic_is_applied_as_capacity_is() -> None:
    alike = [
        {key: value for key, value in spec.items() if key not in {"path", "healthCheckExprs"}}
        for spec in KUSTOMIZATIONS.values()
    ]
    assert alike[0] == alike[1]


def test_nothing_is_changed_on_its_way_to_the_cluster() -> None:
    rewriting = {
        "patches",
        "postBuild",
        "commonMetadata",
        "targetNamespace",
        "namePrefix",
        "nameSuffix",
        "images",
        "force",
        "kustomize",
    }
    assert not rewriting & keys([ARGO, FLUX])
    assert not [
        o for spec in (WORKLOADS, OTHERS) for o in options(spec) if o.startswith(("Replace", "Force"))
    ]


def test_a_removed_workload_goes_and_a_removed_folder_of_others_stays() -> None:
    assert WORKLOADS["template"]["metadata"]["finalizers"] == ["resources-finalizer.argocd.argoproj.io"]
    assert "syncPolicy" not in WORKLOADS
    assert OTHERS["syncPolicy"] == {"preserveResourcesOnDeletion": True}


def test_only_a_count_is_ignored_and_of_what_traffic_is_made_nothing() -> None:
    (rule,) = WORKLOADS["template"]["spec"]["ignoreDifferences"]
    assert (rule["group"], rule["kind"]) == ("workload.serving.volcano.sh", "ModelServing")
    assert set(rule) == {"group", "kind", "managedFieldsManagers"}


def test_the_api_server_compares_so_that_its_own_fields_are_no_difference() -> None:
    for spec in (WORKLOADS, OTHERS):
        annotations = spec["template"]["metadata"]["annotations"]
        assert annotations["argocd.argoproj.io/compare-options"] == "ServerSideDiff=true"
        assert "ServerSideApply=true" in options(spec)


def test_flux_reads_one_repository_and_applies_what_is_written() -> None:
    assert {name: spec["path"] for name, spec in KUSTOMIZATIONS.items()} == {
        "rollouts-capacity": "./rollouts/_capacity",
        "rollouts-traffic": "./rollouts/_traffic",
    }
    assert all(FLUX[spec["sourceRef"]["name"]]["kind"] == "GitRepository" for spec in KUSTOMIZATIONS.values())


def test_a_deleted_kustomization_takes_nothing_with_it() -> None:
    assert {spec["deletionPolicy"] for spec in KUSTOMIZATIONS.values()} == {"Orphan"}


def test_a_rollback_waits_a_minute_at_most_for_an_unhealthy_candidate() -> None:
    assert {spec["timeout"] for spec in KUSTOMIZATIONS.values()} == {"1m"}
