"""Rollouts by role: every role has its own threshold, and what did not change is left alone (R10)."""

from gitops_rollout.api.values import Json, Object, at
from tests.rollout.stage import Stage, images, role_of, roles, steps

BOTH: dict[str, Object] = {
    "prefill": {"image": "engine:a", "replicas": 2},
    "decode": {"image": "engine:a", "replicas": 4},
}


def served(**changes: Object) -> Object:
    """Write prefill (2) and decode (4), with changes by role."""
    return roles({name: {**role, **changes.get(name, {})} for name, role in BOTH.items()})


def published(**changes: Object) -> Stage:
    return Stage(served(**changes)).settle()


DECODE = served(decode={"image": "engine:b"})


def partitions(stage: Stage) -> dict[str, Json]:
    return {name: role_of(stage.published, name).get("partition") for name in BOTH}


def labels(stage: Stage, role: str) -> Json:
    return at(role_of(stage.published, role), "entryTemplate", "metadata", "labels")


def test_only_the_role_that_changed_gets_a_threshold_and_a_label() -> None:
    stage = published().source(DECODE).settle().through("1")
    assert partitions(stage) == {"prefill": None, "decode": 3}
    assert labels(stage, "prefill") is None
    assert labels(stage, "decode")


def test_an_untouched_role_is_published_as_it_was_all_the_way() -> None:
    stage = published()
    before = role_of(stage.published, "prefill")
    for gate in ("1", "50pct", "100pct", "complete"):
        stage.source(DECODE).settle().through(gate)
        assert role_of(stage.published, "prefill") == before


def test_two_roles_move_step_by_step_together() -> None:
    both = served(prefill={"image": "engine:b"}, decode={"image": "engine:b"})
    stage = published().source(both).settle().through("1")
    assert partitions(stage) == {"prefill": 1, "decode": 3}
    assert partitions(stage.through("50pct")) == {"prefill": 1, "decode": 2}


def test_each_role_keeps_to_its_own_floor() -> None:
    floors: dict[str, Object] = {"decode": {"partition": "25%"}, "prefill": {"partition": 1}}
    both = {name: {**floor, "image": "engine:b"} for name, floor in floors.items()}
    stage = published(**floors).source(served(**both)).settle().through("1", "50pct")
    assert partitions(stage.through("100pct")) == {"prefill": 1, "decode": 1}


def test_a_role_that_is_scaled_up_protects_its_new_replicas() -> None:
    stage = published().source(DECODE).settle().through("1", "50pct")
    stage.source(served(decode={"image": "engine:b", "replicas": 6}, prefill={"replicas": 3})).settle()
    assert partitions(stage) == {"prefill": None, "decode": 6}


def test_the_way_back_is_held_by_role_as_well() -> None:
    stage = published().source(DECODE).settle().through("1", "50pct").source(served()).settle()
    assert (images(stage.published)["decode"], partitions(stage)["decode"]) == ("engine:a", 2)


def test_a_third_revision_of_another_role_gives_back_what_the_second_holds() -> None:
    stage = published().source(DECODE).settle().through("1", "50pct")
    stage.source(served(prefill={"image": "engine:c"})).settle().through("50pct")
    assert images(stage.published) == {"prefill": "engine:c", "decode": "engine:a"}
    assert partitions(stage) == {"prefill": 1, "decode": 2}


def test_a_role_that_differs_by_its_label_alone_is_held_like_a_changed_one() -> None:
    """Labelled as a whole before, unlabelled again now: the pods of both roles would differ."""
    other: dict[str, Object] = {name: {**role, "image": "engine:b"} for name, role in BOTH.items()}
    two = {**BOTH, "decode": other["decode"]}
    stage = Stage(roles(BOTH, by_role=False), steps("50%", "100%")).settle()
    stage.source(roles(two, by_role=False)).settle().through("50pct", "100pct", "complete")
    stage.source(served()).settle().through("50pct")
    assert partitions(stage) == {"prefill": 1, "decode": 2}


def test_a_change_of_strategy_waits_while_a_candidate_exists() -> None:
    stage = published().source(DECODE).settle().through("1")
    whole: dict[str, Object] = {**BOTH, "decode": {**BOTH["decode"], "image": "engine:b"}}
    stage.source(roles(whole, by_role=False)).look()
    assert "CONTROLS_HELD" in stage.codes
    assert at(stage.published, "spec", "rolloutStrategy", "type") == "RoleRollingUpdate"
