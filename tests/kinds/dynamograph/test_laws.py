"""What holds for every graph, however it is spelled."""

from copy import deepcopy

from hypothesis import given
from hypothesis import strategies as st

from gitops_rollout.api.values import Json, Object, at, mapping, sequence
from gitops_rollout.api.verdict import Verdict
from gitops_rollout.api.workload import WHOLE
from gitops_rollout.kinds.dynamograph.kind import DYNAMO_GRAPH as KIND
from gitops_rollout.kinds.dynamograph.project import source_text
from gitops_rollout.kinds.protocol import Injection
from gitops_rollout.semantics.canonical import canonical_bytes
from tests.kinds.dynamograph.manifests import accepted
from tests.kinds.dynamograph.respell import respelled
from tests.kinds.dynamograph.twins import graphs, siblings, twins

PLAIN = Injection({})
LABEL = {"gitops-rollout.io/revision": "r1"}

_pairs = graphs.flatmap(lambda value: st.tuples(st.just(value), respelled(value)))


def revision(value: Object) -> bytes:
    return canonical_bytes(KIND.canonical(accepted(value).text))


@given(pair=twins())
def test_twins_are_one_revision_under_the_same_controls(pair: tuple[Object, Object]) -> None:
    beta, alpha = pair
    assert revision(beta) == revision(alpha)
    assert accepted(beta).controls == accepted(alpha).controls
    assert KIND.impact(accepted(alpha), accepted(beta)).verdict is Verdict.NO_CHANGE


@given(pair=_pairs)
def test_a_respelling_changes_neither_revision_nor_controls(pair: tuple[Object, Object]) -> None:
    before, after = (accepted(value) for value in pair)
    assert canonical_bytes(KIND.canonical(before.text)) == canonical_bytes(KIND.canonical(after.text))
    assert canonical_bytes(before.controls) == canonical_bytes(after.controls)


@given(pair=_pairs)
def test_a_respelling_restarts_nothing(pair: tuple[Object, Object]) -> None:
    impact = KIND.impact(*(accepted(value) for value in pair))
    assert impact.verdict is Verdict.NO_CHANGE
    assert {one.verdict for one in impact.components} == {Verdict.NO_CHANGE}
    assert not [change for change in impact.changes if change.note != "inactive"]


@given(value=graphs)
def test_what_is_rendered_is_the_text_under_its_controls(value: Object) -> None:
    spec = accepted(value)
    rendered = KIND.render(spec.text, spec.controls, PLAIN, None)
    assert source_text(rendered) == spec.text
    assert rendered["apiVersion"] == value["apiVersion"]
    assert accepted({**rendered, "metadata": {"name": "chat", **mapping(rendered.get("metadata"))}}) == spec


@given(value=graphs)
def test_the_order_of_components_is_nothing(value: Object) -> None:
    turned = deepcopy(value)
    spec = mapping(turned["spec"])
    for field in ("components", "services"):
        written = spec.get(field)
        if isinstance(written, list):
            spec[field] = written[::-1]
        elif isinstance(written, dict):
            spec[field] = {name: written[name] for name in reversed(written)}
    assert revision(value) == revision(turned)
    assert accepted(value).controls == accepted(turned).controls


@given(value=graphs, replicas=st.integers(0, 9))
def test_scaling_or_moving_a_partition_makes_no_revision(value: Object, replicas: int) -> None:
    scaled = deepcopy(value)
    spec = mapping(scaled["spec"])
    for component in _components(scaled):
        component["replicas"] = replicas
    everything: list[Json] = [*mapping(accepted(value).controls["components"])]
    spec["rollout"] = {"releaseGroups": [{"name": "all", "components": everything}]}
    assert accepted(scaled).text == accepted(value).text


@given(value=graphs)
def test_injected_labels_are_all_that_rendering_adds(value: Object) -> None:
    spec = accepted(value)
    rendered = KIND.render(spec.text, spec.controls, Injection({WHOLE: LABEL}), None)
    before = revision(value)
    for component in _components(rendered):
        labels = mapping(_labels(component))
        assert labels.pop("gitops-rollout.io/revision") == "r1"
    assert canonical_bytes(KIND.canonical(source_text(rendered))) == before


def _components(value: Object) -> list[Object]:
    spec = mapping(value["spec"])
    written = [*sequence(spec.get("components")), *mapping(spec.get("services")).values()]
    return [mapping(one) for one in written]


def _labels(component: Object) -> Json:
    beta = at(component, "podTemplate", "metadata", "labels")
    return at(component, "extraPodMetadata", "labels") if beta is None else beta


@given(value=graphs)
def test_a_graph_moves_as_a_whole(value: Object) -> None:
    controls = accepted(value).controls
    rendered = KIND.render(accepted(value).text, controls, PLAIN, {WHOLE: 1})
    assert not KIND.by_component(controls)
    assert KIND.counts(controls) == {WHOLE: 1}
    assert KIND.floors(controls) == KIND.read_partition(rendered, controls) == {WHOLE: 0}
    assert rendered == KIND.render(accepted(value).text, controls, PLAIN, None)


@given(pair=siblings())
def test_pods_restart_iff_the_revision_differs(pair: tuple[Object, Object]) -> None:
    old, new = (accepted(value) for value in pair)
    impact = KIND.impact(old, new)
    differs = canonical_bytes(KIND.canonical(old.text)) != canonical_bytes(KIND.canonical(new.text))
    restarts = {one.verdict for one in impact.components} & {Verdict.RESTART, Verdict.TOPOLOGY}
    assert impact.verdict is not Verdict.REJECT
    assert bool(restarts) == differs
    if not [change for change in impact.changes if change.note != "inactive"]:
        assert not differs


@given(pair=siblings())
def test_an_edit_of_a_worker_restarts_every_worker_and_nobody_restarts_for_nothing(
    pair: tuple[Object, Object],
) -> None:
    old, new = (accepted(value) for value in pair)
    before, after = KIND.components(old.text), KIND.components(new.text)
    changed = {name for name in after if canonical_bytes(before[name]) != canonical_bytes(after[name])}
    workers = {name for side in (before, after) for name in side if _is_worker(side[name])}
    wanted = changed | {name for name in workers if changed & workers and _is_worker(after[name])}
    restarts = {one.name for one in KIND.impact(old, new).components if one.verdict is Verdict.RESTART}
    assert restarts == wanted


def _is_worker(projection: Json) -> bool:
    return at(projection, "component", "type") in ("worker", "prefill", "decode")


@given(pair=st.tuples(graphs, graphs))
def test_held_controls_hold_nothing_twice(pair: tuple[Object, Object]) -> None:
    old, new = (accepted(value).controls for value in pair)
    held = KIND.hold_loosening(old, new)
    assert KIND.hold_loosening(old, held) == held
    assert KIND.hold_loosening(new, new) == new


@given(pair=st.tuples(graphs, graphs))
def test_nothing_that_is_asked_changes_what_is_asked_about(pair: tuple[Object, Object]) -> None:
    old, new = (accepted(value) for value in pair)
    before = deepcopy((old, new))
    KIND.impact(old, new)
    KIND.check_update(old.text, old.controls, new)
    KIND.render(old.text, new.controls, Injection({WHOLE: LABEL}), {WHOLE: 1})
    KIND.hold_loosening(old.controls, new.controls)
    KIND.retain(old.controls, new.controls, KIND.components(old.text))
    assert (old, new) == before
