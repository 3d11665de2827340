"""The deployment: built with kubectl, and held to what it promises."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from gitops_rollout import __version__
from gitops_rollout.api.settings import Settings
from gitops_rollout.api.settings_document import read_settings
from tests.project.checkout import ROOT, build, documents, files, ident

SERVICES = [ROOT / "deploy/base", ROOT / "deploy/overlays/ssh"]
KUSTOMIZATIONS = sorted(path.parent for path in files("deploy/*/kustomization.yaml"))


@pytest.fixture(params=SERVICES, ids=ident)
def service(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Give the objects of a deployment of the service by kind; there is one of each."""
    objects = build(request.param)
    by_kind = {o["kind"]: o for o in objects}
    assert len(by_kind) == len(objects)
    return by_kind


def pod(service: dict[str, Any]) -> Any:
    return service["Deployment"]["spec"]["template"]["spec"]


@pytest.mark.parametrize("folder", KUSTOMIZATIONS, ids=ident)
def test_a_kustomization_builds(folder: Path) -> None:
    assert all(o["metadata"]["name"] for o in build(folder))


def test_every_manifest_is_part_of_a_kustomization_or_a_patch() -> None:
    named = {"kustomization.yaml", "gitops-rollout.yaml", "argocd-cm.yaml"}
    for folder in KUSTOMIZATIONS:
        listed = documents(folder / "kustomization.yaml")[0]["resources"]
        assert {p.name for p in folder.glob("*.yaml")} - named == {n for n in listed if n.endswith(".yaml")}


def test_there_is_one_process_and_never_two_in_an_update(service: dict[str, Any]) -> None:
    spec = service["Deployment"]["spec"]
    assert (spec["replicas"], spec["strategy"]) == (1, {"type": "Recreate"})


def test_the_pod_fits_the_restricted_profile_that_its_namespace_demands(service: dict[str, Any]) -> None:
    (container,) = pod(service)["containers"]
    assert service["Namespace"]["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"
    assert pod(service)["securityContext"]["runAsNonRoot"] is True
    assert pod(service)["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }


def test_no_token_of_the_cluster_is_given_to_the_pod(service: dict[str, Any]) -> None:
    assert service["ServiceAccount"]["automountServiceAccountToken"] is False
    assert pod(service)["automountServiceAccountToken"] is False
    assert pod(service)["serviceAccountName"] == service["ServiceAccount"]["metadata"]["name"]
    assert not {kind for kind in service if kind.endswith(("Role", "RoleBinding"))}


def test_the_image_is_this_version(service: dict[str, Any]) -> None:
    (container,) = pod(service)["containers"]
    assert container["image"].endswith(f"/gitops-rollout:{__version__}")


def test_the_pod_may_only_ask_for_names_and_speak_https_and_ssh(service: dict[str, Any]) -> None:
    policy = service["NetworkPolicy"]["spec"]
    ports = {(port["protocol"], port["port"]) for rule in policy["egress"] for port in rule["ports"]}
    assert ports == {("UDP", 53), ("TCP", 53), ("TCP", 443), ("TCP", 22)}
    assert sorted(policy["policyTypes"]) == ["Egress", "Ingress"]
    assert "ingress" not in policy


def settings(service: dict[str, Any]) -> Settings:
    return read_settings(yaml.safe_load(service["ConfigMap"]["data"]["gitops-rollout.yaml"]))


def test_what_is_mounted_is_where_the_settings_look(service: dict[str, Any]) -> None:
    (container,) = pod(service)["containers"]
    mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
    assert container["args"][-1] == f"{mounts['settings']}/gitops-rollout.yaml"
    assert settings(service).cache == mounts["cache"]
    assert {str(Path(place).parent) for place in secrets(settings(service))} == {mounts["git"]}


def secrets(told: Settings) -> set[str]:
    """Give the files that the settings read secrets from."""
    sides = [side.credentials for p in told.pipelines for side in (p.source, p.output) if side.credentials]
    named = {secret.file for side in sides for secret in (side.username, side.password) if secret}
    return {place for place in named.union(*({s.ssh_key_file, s.known_hosts_file} for s in sides)) if place}


def test_each_side_signs_in_with_two_files(service: dict[str, Any]) -> None:
    (pipeline,) = settings(service).pipelines
    assert pipeline.source.credentials == pipeline.output.credentials
    assert len(secrets(settings(service))) == 2


def test_credentials_are_files_of_a_secret_that_is_not_in_git(service: dict[str, Any]) -> None:
    volumes = {volume["name"]: volume for volume in pod(service)["volumes"]}
    assert volumes["git"]["secret"] == {"secretName": "gitops-rollout-git", "defaultMode": 0o440}
    assert "Secret" not in service
    assert not [c for c in pod(service)["containers"] if "env" in c or "envFrom" in c]


def test_other_settings_are_another_pod() -> None:
    first, second = ({o["kind"]: o for o in build(folder)} for folder in SERVICES)
    assert first["ConfigMap"]["metadata"]["name"] != second["ConfigMap"]["metadata"]["name"]
    volumes = {volume["name"]: volume for volume in pod(second)["volumes"]}
    assert volumes["settings"]["configMap"]["name"] == second["ConfigMap"]["metadata"]["name"]
