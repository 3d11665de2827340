"""What holds for every ModelServing, however it is spelled."""

from copy import deepcopy

from hypothesis import given
from hypothesis import strategies as st

from gitops_rollout.api.values import Object, at, mapping, sequence
from gitops_rollout.api.verdict import Verdict
from gitops_rollout.api.workload import WHOLE
from gitops_rollout.kinds.modelserving.kind import MODEL_SERVING as KIND
from gitops_rollout.kinds.modelserving.live import read_live
from gitops_rollout.kinds.modelserving.project import source_text
from gitops_rollout.kinds.protocol import Injection
from gitops_rollout.semantics.canonical import canonical_bytes
from tests.kinds.manifests import accepted
from tests.kinds.specs import servings
from tests.respell import respelled

PLAIN = Injection({})
LABEL = {"gitops-rollout.io/revision": "r1"}

_pairs = servings().flatmap(lambda value: st.tuples(st.just(value), respelled(value)))


@given(pair=_pairs)
def test_a_respelling_changes_neither_revision_nor_controls(pair: tuple[Object, Object]) -> None:
    before, after = (accepted(value) for value in pair)
    assert canonical_bytes(KIND.canonical(before.text)) == canonical_bytes(KIND.canonical(after.text))
    assert canonical_bytes(before.controls) == canonical_bytes(after.controls)
    assert before.controls == after.controls


@given(pair=_pairs)
def test_a_respelling_restarts_nothing(pair: tuple[Object, Object]) -> None:
    impact = KIND.impact(*(accepted(value) for value in pair))
    assert {impact.verdict, *(one.verdict for one in impact.components)} == {Verdict.NO_CHANGE}
    assert not impact.changes


@given(value=servings())
def test_what_is_rendered_is_the_text_under_its_controls(value: Object) -> None:
    spec = accepted(value)
    rendered = KIND.render(spec.text, spec.controls, PLAIN, None)
    assert source_text(rendered) == spec.text
    assert accepted({**rendered, "metadata": {"name": "chat", **mapping(rendered.get("metadata"))}}) == spec


@given(value=servings())
def test_rendering_twice_or_from_reordered_roles_gives_one_revision(value: Object) -> None:
    spec, turned = accepted(value), deepcopy(value)
    sequence(at(turned, "spec", "template", "roles")).reverse()
    assert KIND.canonical(spec.text) == KIND.canonical(accepted(turned).text)
    assert spec.controls == accepted(turned).controls


@given(value=servings(), replicas=st.integers(0, 9))
def test_scaling_or_moving_a_partition_makes_no_revision(value: Object, replicas: int) -> None:
    spec, scaled = accepted(value), deepcopy(value)
    mapping(scaled["spec"])["replicas"] = replicas
    assert accepted(scaled).text == spec.text


@given(value=servings())
def test_injected_labels_are_all_that_rendering_adds_to_templates(value: Object) -> None:
    spec = accepted(value)
    rendered = KIND.render(spec.text, spec.controls, Injection({WHOLE: LABEL}), None)
    for role in sequence(at(rendered, "spec", "template", "roles")):
        for field in ("entryTemplate", "workerTemplate"):
            if field in mapping(role):
                labels = mapping(at(role, field, "metadata", "labels"))
                assert labels.pop("gitops-rollout.io/revision") == "r1"
    assert KIND.canonical(source_text(rendered)) == KIND.canonical(spec.text)


@given(value=servings())
def test_what_was_published_is_read_back_from_the_cluster_as_its_text(value: Object) -> None:
    spec = accepted(value)
    rendered = KIND.render(spec.text, spec.controls, Injection({WHOLE: LABEL}), None)
    metadata: Object = {"name": "chat", "namespace": "default", "uid": "6f1d"}
    live = read_live({**rendered, "metadata": metadata, "status": {"replicas": 1}})
    assert live.spec is not None
    assert KIND.canonical(live.spec.text) == KIND.canonical(spec.text)
    assert live.spec.key == spec.key


@given(value=servings(), wanted=st.integers(0, 9))
def test_a_rendered_partition_reads_back(value: Object, wanted: int) -> None:
    spec = accepted(value)
    thresholds = dict.fromkeys(KIND.counts(spec.controls), wanted)
    rendered = KIND.render(spec.text, spec.controls, PLAIN, thresholds)
    assert KIND.read_partition(rendered, spec.controls) == thresholds


@given(value=servings())
def test_the_partition_as_written_reads_back_as_the_floor(value: Object) -> None:
    spec = accepted(value)
    rendered = KIND.render(spec.text, spec.controls, PLAIN, None)
    assert KIND.read_partition(rendered, spec.controls) == KIND.floors(spec.controls)


@given(pair=st.tuples(servings(), servings()))
def test_held_controls_never_loosen_and_hold_nothing_twice(pair: tuple[Object, Object]) -> None:
    old, new = (accepted(value).controls for value in pair)
    held = KIND.hold_loosening(old, new)
    assert KIND.by_component(held) == KIND.by_component(old)
    assert held.get("recoveryPolicy") == old.get("recoveryPolicy")
    assert KIND.hold_loosening(old, held) == held
    assert KIND.hold_loosening(new, new) == new


@given(pair=st.tuples(servings(), servings()))
def test_an_impact_restarts_iff_the_revision_differs(pair: tuple[Object, Object]) -> None:
    old, new = (accepted(value) for value in pair)
    impact = KIND.impact(old, new)
    differs = canonical_bytes(KIND.canonical(old.text)) != canonical_bytes(KIND.canonical(new.text))
    revisioned = [change for change in impact.changes if change.note != "inactive"]
    if impact.verdict is not Verdict.REJECT:
        assert (impact.verdict in (Verdict.RESTART, Verdict.TOPOLOGY)) == differs
    if not revisioned:
        assert not differs
        assert old.controls == new.controls


@given(pair=st.tuples(servings(), servings()))
def test_nothing_that_is_asked_changes_what_is_asked_about(pair: tuple[Object, Object]) -> None:
    old, new = (accepted(value) for value in pair)
    before = deepcopy((old, new))
    KIND.impact(old, new)
    KIND.render(old.text, new.controls, Injection({WHOLE: LABEL}), KIND.counts(new.controls))
    KIND.hold_loosening(old.controls, new.controls)
    KIND.retain(old.controls, new.controls, KIND.components(old.text))
    assert (old, new) == before
