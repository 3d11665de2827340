"""What a document is: a spec, another object, or none of these."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitops_rollout.api.values import Json
from gitops_rollout.documents.emit import emit
from gitops_rollout.documents.load import Limits, load
from gitops_rollout.kinds.registry import KINDS
from gitops_rollout.source.identify import Terms, identify
from gitops_rollout.source.item import Item, Reading, Sort, decode, encode
from gitops_rollout.source.source import ObjectKey
from tests.source.desk import Desk, codes, config, key, serving, warned

DGD = """apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: chat}
spec:
  backendFramework: vllm
  components:
  - name: Frontend
    type: frontend
    podTemplate: {spec: {containers: [{name: main, image: "registry.example.com/dynamo:1.0.0"}]}}
"""
SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: token, namespace: serving}\nstringData: {a: hush}\n"
NAMESPACE = "apiVersion: v1\nkind: Namespace\nmetadata: {name: serving}\n"


def item(text: str) -> Item:
    (document,) = load(text.encode(), Limits())
    return identify(document, "specs/a.yaml", Terms(KINDS))[0]


def described(api_version: str = "v1", kind: str = "ConfigMap", metadata: str = "{name: a}") -> str:
    return f"apiVersion: {api_version}\nkind: {kind}\nmetadata: {metadata}\n"


def test_every_document_of_a_file_is_found_with_its_place(desk: Desk) -> None:
    desk.write(
        {"specs/all.yaml": f"# first\n---\n{serving('a')}---\n~\n---\n{config('b')}---\n{serving('c')}"}
    )
    source = desk.read()
    assert {(spec.key.name, spec.document) for spec in source.specs.values()} == {("a", 1), ("c", 4)}
    assert [(other.name, other.document) for other in source.others.values()] == [("b", 3)]


def test_another_object_keeps_its_bytes(desk: Desk) -> None:
    raw = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name:   a}   # as written\ndata: {b: 'yes'}\n"
    desk.write({"specs/a.yaml": f"{serving('x')}---\n{raw}---\n{config('z')}"})
    (other,) = (one for one in desk.read().others.values() if one.name == "a")
    assert (other.raw, other.namespace, other.group) == (raw.encode(), "serving", "")


def test_what_belongs_to_no_namespace_is_told_apart(desk: Desk) -> None:
    desk.write({"specs/a.yaml": f"{NAMESPACE}---\n{config('serving')}"})
    others = desk.read().others
    assert set(others) == {
        ObjectKey("", "", "Namespace", "serving"),
        ObjectKey("serving", "", "ConfigMap", "serving"),
    }
    assert others[ObjectKey("", "", "Namespace", "serving")].namespace is None


def test_others_can_be_left_out(desk: Desk) -> None:
    desk.write({"specs/a.yaml": serving("a"), "specs/b.yaml": config("b")})
    assert desk.read(desk.reader(others=False)).publishes is False


def test_a_graph_is_a_workload_like_any_other(desk: Desk) -> None:
    desk.write({"specs/a.yaml": DGD})
    source = desk.read()
    assert [(key.kind, spec.text["apiVersion"]) for key, spec in source.specs.items()] == [
        ("DynamoGraphDeployment", "nvidia.com/v1beta1")
    ]


def test_a_plain_secret_is_published_only_where_that_is_allowed(desk: Desk) -> None:
    desk.write({"specs/a.yaml": SECRET})
    source, allowed = desk.read(), desk.read(desk.reader(secrets=True))
    assert (len(source.others), warned(source)) == (0, [("specs/a.yaml", "SECRET_NOT_PUBLISHED")])
    assert (len(allowed.others), warned(allowed)) == (1, [])


def test_a_refused_spec_is_known_by_its_name_and_holds_nobody_else(desk: Desk) -> None:
    desk.write(
        {"specs/a.yaml": serving("a").replace("replicas: 2", "replicas: yes"), "specs/b.yaml": serving("b")}
    )
    source = desk.read()
    assert (set(source.specs), set(source.refused), source.unreadable) == ({key("b")}, {key("a")}, False)
    assert source.problems == source.refused[key("a")]
    assert source.problems[0].file == "specs/a.yaml"


def test_a_spec_of_another_version_is_refused_by_name(desk: Desk) -> None:
    desk.write({"specs/a.yaml": serving("a").replace("v1alpha1", "v9")})
    source = desk.read()
    assert (set(source.refused), codes(source)) == ({key("a")}, [("specs/a.yaml", "UNKNOWN_KIND")])


def test_a_spec_without_a_namespace_belongs_to_the_default_one(desk: Desk) -> None:
    desk.write({"specs/a.yaml": serving("a").replace("  namespace: serving\n", "")})
    assert set(desk.read().specs) == {key("a", "serving")}


@pytest.mark.parametrize(
    ("text", "path", "code"),
    [
        ("just words", "", "NOT_AN_OBJECT"),
        ("- 1", "", "NOT_AN_OBJECT"),
        ("kind: ConfigMap\nmetadata: {name: a}", "apiVersion", "NOT_AN_OBJECT"),
        (described(kind="~"), "kind", "NOT_AN_OBJECT"),
        (described(kind="1"), "kind", "NOT_AN_OBJECT"),
        (described(metadata="{}"), "metadata.name", "NOT_AN_OBJECT"),
        (described(metadata="{generateName: a-}"), "metadata.generateName", "NOT_AN_OBJECT"),
        (described(metadata="{name: ../a}"), "metadata.name", "NAME"),
        (described(metadata="{name: a/b}"), "metadata.name", "NAME"),
        (described(metadata="{name: A}"), "metadata.name", "NAME"),
        (described(metadata="{name: '..'}"), "metadata.name", "NAME"),
        (described(metadata='{name: "a\\n"}'), "metadata.name", "NAME"),
        (described(metadata="{name: a, namespace: ../b}"), "metadata.namespace", "NAME"),
        (described(metadata="{name: a, namespace: a.b}"), "metadata.namespace", "NAME"),
        (described(metadata="{name: a, namespace: 1}"), "metadata.namespace", "NAME"),
        (described(metadata="{name: '${NAME}'}"), "metadata.name", "NAME"),
        (described(kind="../x"), "kind", "NAME"),
        (described(api_version="a/b/v1"), "apiVersion", "NAME"),
        (described(api_version="../v1"), "apiVersion", "NAME"),
        ("apiVersion: v1\nkind: List\nitems: []", "items", "LIST"),
        ("apiVersion: v1\nkind: ConfigMapList\nitems: []\nmetadata: {name: a}", "items", "LIST"),
    ],
)
def test_what_is_no_object_with_a_name_is_refused_and_nobody_knows_what_it_was(
    text: str, path: str, code: str
) -> None:
    found = item(text)
    assert (found.sort, found.body, found.namespace) == (Sort.UNKNOWN, "", "")
    assert [(problem.path, problem.code) for problem in found.problems] == [(path, code)]


def test_a_strange_letter_is_shown_by_its_code_point() -> None:
    assert "U+0430" in item(described(metadata="{name: \u0430}")).problems[0].message


def test_a_name_with_a_colon_is_only_for_roles() -> None:
    role = described("rbac.authorization.k8s.io/v1", "Role", "{name: 'team:reader'}")
    assert (item(role).sort, item(described(metadata="{name: 'a:b'}")).sort) == (Sort.OTHER, Sort.UNKNOWN)


def test_our_own_output_is_no_source(desk: Desk) -> None:
    desk.write({"specs/rollout.yaml": described("gitops-rollout.io/v1alpha1", "Rollout")})
    assert codes(desk.read()) == [("specs/rollout.yaml", "UNKNOWN_KIND")]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text("ab.-/\u00e9 ", max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("ab/.", max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
versions = st.sampled_from(["v1", "workload.serving.volcano.sh/v1alpha1", "gitops-rollout.io/v1alpha1"])
kinds = st.sampled_from(["ConfigMap", "ModelServing", "RolloutPolicy", "RevisionRollout", "List"])
metadata = st.fixed_dictionaries(
    {"name": st.just("a") | json_values},
    optional={"namespace": json_values, "annotations": json_values},
)
shapes = st.fixed_dictionaries(
    {"apiVersion": versions | json_values, "kind": kinds | json_values},
    optional={"metadata": metadata | json_values, "spec": json_values, "items": json_values},
)


@given(shapes | json_values)
def test_no_document_is_too_strange_and_none_is_lost(value: Json) -> None:
    documents = load(emit(value).encode(), Limits())
    found = [identify(document, "a.yaml", Terms(KINDS))[0] for document in documents]
    assert len(found) == (value is not None)
    assert all(one.problems or one.sort not in (Sort.UNKNOWN, Sort.REFUSED, Sort.NOTHING) for one in found)


@given(shapes)
def test_what_is_kept_of_a_reading_gives_it_back(value: Json) -> None:
    items = tuple(
        identify(document, "a.yaml", Terms(KINDS))[0] for document in load(emit(value).encode(), Limits())
    )
    assert decode(encode([Reading(items)], ["a.yaml"]), ["a.yaml"]) == [Reading(items)]
