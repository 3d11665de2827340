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
        "strategy",
        "retry",
        "argocd.argoproj.io/sync-wave",
        "argocd.argoproj.io/hook",
    }
    assert len(told) >= 7
    assert not forbidden & keys(told)


def test_nothing_is_changed_on_its_way_to_the_cluster() -> None:
    rewriting = {
        "patches",
        "postBuild",
        "commonMetadata",
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


def test_no_field_inside_a_list_is_ignored() -> None:
    for rule in WORKLOADS["template"]["spec"]["ignoreDifferences"]:
        assert set(rule) == {"group", "kind", "managedFieldsManagers"}


def test_flux_reads_one_repository_and_applies_what_is_written() -> None:
    assert {spec["path"] for spec in KUSTOMIZATIONS.values()} == {"./rollouts/_capacity"}
    assert all(FLUX[spec["sourceRef"]["name"]]["kind"] == "GitRepository" for spec in KUSTOMIZATIONS.values())


def test_a_deleted_kustomization_takes_nothing_with_it() -> None:
    assert {spec["deletionPolicy"] for spec in KUSTOMIZATIONS.values()} == {"Orphan"}


def test_a_rollback_waits_a_minute_at_most_for_an_unhealthy_candidate() -> None:
    assert {spec["timeout"] for spec in KUSTOMIZATIONS.values()} == {"1m"}
