"""Pod templates under the verdicts of Kubernetes: equal ones write nothing, others are asked (G2 1, 2).

Kthena's own template has labels and annotations for metadata, no more, and takes the scheduler from above.
"""

from gitops_rollout.api.values import Json, Object, at, mapping
from gitops_rollout.documents.load import Limits, load
from gitops_rollout.kinds.written import without
from gitops_rollout.revision.identity import digest
from gitops_rollout.rollout.draft import Head
from gitops_rollout.semantics.canonical import canonical_bytes
from tests.rollout.stage import KIND, Stage, manifest
from tests.shared import vectors

Pair = tuple[str, Json, Json, bool]


def named() -> list[Pair]:
    """Give the pairs that were thought of; one side may hold a field that the type does not know."""
    rows = [
        row for row in vectors("podtemplate-equality-named.json")["cases"] if "unknown" not in row["name"]
    ]
    return [
        (row["name"], read(row["a_yaml"]), read(row["b_yaml"]), row["equal"])
        for row in rows
        if row["equal"] is not None
    ]


def undecodable() -> list[tuple[str, Json, Json]]:
    """Give the pairs of which Kubernetes cannot read one side."""
    rows = vectors("podtemplate-equality-named.json")["cases"]
    found = [row for row in rows if row["equal"] is None]
    return [(row["name"], read(row["a_yaml"]), read(row["b_yaml"])) for row in found]


def fuzzed() -> list[Pair]:
    rows = vectors("podtemplate-equality-fuzz.json")["cases"]
    found = [(str(number), row["a"], row["b"], row["equal"]) for number, row in enumerate(rows)]
    return [
        (name, kthenas(one), kthenas(other), equal) for name, one, other, equal in found if known(one, other)
    ]


def known(one: Json, other: Json) -> bool:
    """Say whether two templates differ in nothing that Kthena's template does not have."""
    sides = [without(mapping(at(side, "metadata")), ("labels", "annotations")) for side in (one, other)]
    return sides[0] == sides[1] and at(one, "spec", "schedulerName") == at(other, "spec", "schedulerName")


def kthenas(template: Json) -> Json:
    """Give a template with the metadata that Kthena's has."""
    metadata = mapping(at(template, "metadata"))
    kept = {name: part for name, part in metadata.items() if name in ("labels", "annotations")}
    return {**mapping(template), "metadata": kept}


def read(text: str) -> Json:
    (only,) = load(text.encode(), Limits())
    return only.value


def within(template: Json, *, worker: bool = False) -> Object:
    """Put a template into a ModelServing, as that of the entry or of the workers."""
    plain: Object = {"spec": {"containers": [{"name": "main", "image": "engine:1"}]}}
    pods: Object = (
        {"entryTemplate": plain, "workerTemplate": template} if worker else {"entryTemplate": template}
    )
    return manifest(4, [{"name": "decode", "replicas": 1, "workerReplicas": int(worker), **pods}])


def form(value: Object) -> bytes:
    return canonical_bytes(
        KIND.canonical({**value, "spec": {"template": mapping(value["spec"])["template"]}})
    )


def wrong(pairs: list[Pair], *, worker: bool) -> list[str]:
    """Name the pairs that have another verdict here."""
    return [
        name
        for name, one, other, equal in pairs
        if (form(within(one, worker=worker)) == form(within(other, worker=worker))) is not equal
    ]


def test_entry_templates_have_the_verdict_of_kubernetes() -> None:
    pairs = [*named(), *fuzzed()]
    assert len(pairs) > 300
    assert wrong(pairs, worker=False) == []


def test_what_kubernetes_cannot_read_is_refused() -> None:
    found = undecodable()
    assert len(found) >= 3
    assert [
        name for name, *sides in found if all(KIND.check(within(one), "serving").spec for one in sides)
    ] == []


def test_worker_templates_have_the_verdict_of_kubernetes() -> None:
    assert wrong([*named(), *fuzzed()], worker=True) == []


def test_equal_templates_write_nothing_and_different_ones_are_asked_about() -> None:
    answers = []
    for name, one, other, equal in named():
        if not all(KIND.check(within(side), "serving").spec for side in (one, other)):
            continue
        stage = Stage(within(one)).settle()
        before = stage.line.files
        unchanged = stage.source(within(other)).settle().line.files == before
        answers.append((name, unchanged, equal))
    assert len(answers) > 40
    assert [name for name, unchanged, equal in answers if unchanged is not equal] == []


def test_the_name_of_a_revision_is_that_of_its_content_alone() -> None:
    for _, one, other, equal in named():
        same = digest(KIND.canonical(within(one))) == digest(KIND.canonical(within(other)))
        assert same is equal


def test_22_data_of_an_older_library_is_the_revision_that_it_was() -> None:
    old: Object = {
        "metadata": {"creationTimestamp": None},
        "spec": {"containers": [{"name": "main", "image": "engine:1", "resources": {}, "laterField": None}]},
    }
    stage = Stage(within(old)).settle()
    before = stage.line.files
    new: Object = {"spec": {"containers": [{"name": "main", "image": "engine:1"}]}}
    assert stage.source(within(new)).settle().line.files == before
    head = stage.head()
    assert isinstance(head, Head)
    assert len(head.history.revisions) == 1
