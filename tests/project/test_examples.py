"""The examples are what they say they are."""

from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from gitops_rollout.api.policy_document import read_policy
from gitops_rollout.kinds.registry import kind_of
from gitops_rollout.revision.words import images
from tests.project.checkout import ROOT, build, documents, files, ident
from tests.shared import shared

CRDS = {
    "ModelServing": "data/kthena/crds/workload.serving.volcano.sh_modelservings.yaml",
    "DynamoGraphDeployment": "data/dynamo/crd/nvidia.com_dynamographdeployments.yaml",
}
EXAMPLES = sorted({path.parent for path in files("examples/*/README.md")})


def objects(example: Path) -> list[dict[str, Any]]:
    """Give what an example's source holds: files, or the overlay that is built."""
    overlay = example / "specs/production"
    if overlay.is_dir():
        return build(overlay)
    return [document for path in sorted((example / "specs").glob("*.yaml")) for document in documents(path)]


def workload(example: Path) -> dict[str, Any]:
    (found,) = [o for o in objects(example) if o["kind"] in CRDS]
    return found


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 3


@pytest.mark.parametrize("example", EXAMPLES, ids=ident)
def test_the_policy_that_a_workload_names_stands_beside_it(example: Path) -> None:
    named = workload(example)["metadata"].get("annotations", {}).get("gitops-rollout.io/policy")
    policies = [o["metadata"]["name"] for o in objects(example) if o["kind"] == "RolloutPolicy"]
    assert policies == ([named] if named else [])


@pytest.mark.parametrize("example", EXAMPLES, ids=ident)
def test_a_workload_is_taken_without_a_word(example: Path) -> None:
    kind = kind_of(workload(example))
    assert kind is not None
    checked = kind.check(workload(example), "serving")
    assert (checked.problems, checked.warnings) == ((), ())


@pytest.mark.parametrize("example", EXAMPLES, ids=ident)
def test_a_policy_is_taken(example: Path) -> None:
    policies = [o for o in objects(example) if o["kind"] == "RolloutPolicy"]
    assert [problems for _, problems in map(read_policy, policies)] == [()] * len(policies)


@pytest.mark.parametrize("example", EXAMPLES, ids=ident)
def test_the_kind_s_own_schema_takes_the_workload(example: Path) -> None:
    found = workload(example)
    crd = yaml.load(shared(CRDS[found["kind"]]).read_text(), yaml.CSafeLoader)  # as large as a book
    version = found["apiVersion"].rpartition("/")[2]
    (schema,) = [v["schema"]["openAPIV3Schema"] for v in crd["spec"]["versions"] if v["name"] == version]
    assert list(jsonschema.Draft202012Validator(schema).iter_errors(workload(example))) == []


@pytest.mark.parametrize("example", EXAMPLES, ids=ident)
def test_every_image_names_a_version(example: Path) -> None:
    found = [*images(workload(example)["spec"])]
    assert found
    assert all(":" in image.rpartition("/")[2] for image in found)


@pytest.mark.parametrize("example", EXAMPLES, ids=ident)
def test_the_readme_is_short(example: Path) -> None:
    text = (example / "README.md").read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert len(text.split()) < 120


def test_the_overlay_is_one_workload_with_its_own_image_and_count() -> None:
    embed = workload(ROOT / "examples/03-kustomize-overlay")
    role = embed["spec"]["template"]["roles"][0]
    assert embed["spec"]["replicas"] == 6
    assert role["entryTemplate"]["spec"]["containers"][0]["image"].endswith(":2.4.1")
