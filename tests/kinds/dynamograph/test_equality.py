"""Pod templates under the verdicts of Kubernetes, and real graphs: each gets an answer."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gitops_rollout.api.values import Json, Object, mapping, sequence
from gitops_rollout.api.verdict import Verdict
from gitops_rollout.documents.load import Limits, load
from gitops_rollout.documents.unreadable import Unreadable
from gitops_rollout.kinds.dynamograph.kind import DYNAMO_GRAPH as KIND
from gitops_rollout.kinds.dynamograph.live import as_stored, read_live
from gitops_rollout.kinds.dynamograph.project import source_text
from gitops_rollout.kinds.protocol import Injection
from gitops_rollout.semantics.canonical import canonical_bytes
from tests.kinds.dynamograph.manifests import accepted, alpha, checked, component, graph, service, update
from tests.kinds.manifests import pod
from tests.shared import shared, vectors


def within(template: Json) -> Object:
    return {**graph(), "spec": {"components": [{"name": "decode", "podTemplate": template}]}}


def equal(one: Json, other: Json) -> bool | None:
    """Give None when one of them is not of the type."""
    values = within(one), within(other)
    if any(problem.code == "TYPE" for value in values for problem in checked(value).problems):
        return None
    forms = [canonical_bytes(KIND.canonical(source_text(value))) for value in values]
    return forms[0] == forms[1]


def manned(template: Json) -> Object:
    """Put the container `main` before the others; a template without any is the operator's to fill."""
    written = mapping(template)
    spec = mapping(written.get("spec"))
    containers: list[Json] = [{"name": "main"}, *sequence(spec.get("containers"))]
    return {**written, "spec": {**spec, "containers": containers}}


def test_named_pairs_have_the_verdict_of_kubernetes() -> None:
    rows = [
        row for row in vectors("podtemplate-equality-named.json")["cases"] if "unknown" not in row["name"]
    ]
    read = {
        row["name"]: [load(row[side].encode(), Limits())[0].value for side in ("a_yaml", "b_yaml")]
        for row in rows
    }
    wrong = [row["name"] for row in rows if equal(*read[row["name"]]) is not row["equal"]]
    assert len(rows) > 60
    assert wrong == []


def test_fuzzed_pairs_have_the_verdict_of_kubernetes() -> None:
    rows = vectors("podtemplate-equality-fuzz.json")["cases"]
    assert len(rows) > 100
    assert [row for row in rows if equal(manned(row["a"]), manned(row["b"])) is not row["equal"]] == []


def graphs() -> Iterator[tuple[Path, Object]]:
    for path in sorted(shared("data", "dynamo").rglob("*.yaml")):
        if path.parent.name == "crd":
            continue
        try:
            documents = load(path.read_bytes(), Limits())
        except Unreadable:
            continue
        for one in documents:
            if isinstance(one.value, dict) and one.value.get("kind") == "DynamoGraphDeployment":
                yield path, one.value


def test_every_real_graph_gets_an_answer() -> None:
    answers = {path.name: checked(value) for path, value in graphs()}
    refusals = {name: one for name, one in answers.items() if one.spec is None}
    assert len(answers) > 150
    # One sample is empty, one example leaves its images out, one name is too long for Grove, and some
    # recipes have a placeholder for the namespace.
    assert len(refusals) <= 8
    codes = {problem.code for one in refusals.values() for problem in one.problems}
    assert codes <= {"REQUIRED", "NAME", "NAME_TOO_LONG"}


def test_every_real_graph_is_rendered_as_it_was_written() -> None:
    for path, value in graphs():
        spec = checked(value).spec
        if spec is not None:
            assert source_text(KIND.render(spec.text, spec.controls, Injection({}), None)) == spec.text, path


def test_real_twins_share_their_components() -> None:
    folder = shared("data", "dynamo", "dgd")
    names = (
        "deploy__utils__tests__fixtures__v1alpha1__disagg.yaml",
        "examples__backends__vllm__deploy__disagg.yaml",
    )
    alpha_, beta = (accepted(value) for path, value in graphs() if path in [folder / name for name in names])
    one, other = KIND.components(alpha_.text), KIND.components(beta.text)
    same = {name for name in one if canonical_bytes(one[name]) == canonical_bytes(other[name])}
    # The example has one argument more for its decoder than the fixture.
    assert same == {"Frontend", "VllmPrefillWorker"}
    paths = [change.path for change in KIND.impact(alpha_, beta).changes]
    assert paths == [f"VllmDecodeWorker/containers[main]/args[{at}]" for at in (4, 5)]


@pytest.mark.parametrize(
    "value",
    [
        graph(component(podTemplate={**pod("engine:1.4.0"), "metadata": {"labels": {"a": "b"}}})),
        alpha({"decode": service(extraPodMetadata={"labels": {"a": "b"}})}),
    ],
)
def test_a_live_object_equals_its_file(value: Object) -> None:
    spec = accepted(value)
    published = KIND.render(
        spec.text, spec.controls, Injection({"*": {"gitops-rollout.io/revision": "r1"}}), None
    )
    noted: Object = {
        "name": "chat",
        "namespace": "serving",
        "uid": "1",
        "annotations": {
            "nvidia.com/workload-provider": "component",
            "nvidia.com/current-worker-hash": "01234567",
        },
    }
    live = read_live({**published, "metadata": noted, "status": {"state": "successful"}}).spec
    assert live is not None
    assert KIND.impact(as_stored(spec), as_stored(live)).verdict is Verdict.NO_CHANGE
    assert live.controls == spec.controls


def test_a_deprecated_alias_is_folded_in_live_objects_only() -> None:
    template = pod("engine:1.4.0")
    named, both = (
        graph(component(podTemplate={"spec": {**mapping(template["spec"]), **accounts}}))
        for accounts in (
            {"serviceAccountName": "a"},
            {"serviceAccountName": "a", "serviceAccount": "a"},
        )
    )
    live = read_live(both).spec
    assert live is not None
    assert KIND.impact(accepted(named), live).verdict is Verdict.NO_CHANGE
    assert update(named, both).verdict is Verdict.RESTART
