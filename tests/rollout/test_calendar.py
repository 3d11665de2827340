"""Windows and freezes hold back what goes up, and nothing that goes down (DESIGN 3, R13)."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from gitops_rollout.api.calendar import Freeze, Window
from gitops_rollout.rollout.draft import Order, Scene
from tests.rollout.routed import ALL_GATES, RoutedStage, going, routed_policy
from tests.rollout.stage import NOON, Stage, groups, steps

DAYS = Window("0 9 * * 1-5", 8 * 3600, "UTC")
WEEK = replace(steps(1, "50%", "100%"), windows=(DAYS,))
SATURDAY = datetime(2026, 5, 2, 12, tzinfo=UTC)
YEAR_END = Freeze("year-end", NOON - timedelta(hours=1), NOON + timedelta(hours=2), "year end")


class FrozenStage(RoutedStage):
    """A stage in whose source freezes stand."""

    freezes: tuple[Freeze, ...] = ()

    def scene(self, order: Order | None = None) -> Scene:
        scene = super().scene(order)
        return replace(scene, desired=replace(scene.desired, freezes=self.freezes))

    @property
    def asks(self) -> str | None:
        assert self.last is not None
        return self.last.plan.asked.step if self.last.plan.asked else None


def offered(*freezes: Freeze) -> FrozenStage:
    stage = FrozenStage(groups("engine:a"), WEEK)
    stage.settle()
    stage.freezes = freezes
    stage.source(groups("engine:b")).settle()
    return stage


def test_inside_a_window_a_step_is_asked_and_the_pass_comes_back_when_it_closes() -> None:
    stage = offered()
    assert stage.last is not None
    assert (stage.asks, stage.last.plan.look_again) == ("1", NOON.replace(hour=17))


def test_outside_the_gate_is_not_open_and_it_is_known_when_it_will_be() -> None:
    stage = offered()
    stage.now = SATURDAY
    stage.settle()
    assert stage.last is not None
    assert (stage.asks, stage.last.plan.gate_from) == (None, datetime(2026, 5, 4, 9, tzinfo=UTC))


def test_a_freeze_says_why_and_until_when() -> None:
    stage = offered(YEAR_END)
    assert stage.last is not None
    plan = stage.last.plan
    assert (stage.asks, plan.gate_from, "year end" in plan.closed) == (None, YEAR_END.end, True)


def test_a_freeze_without_end_holds_until_it_is_gone() -> None:
    stage = offered(Freeze("hold"))
    stage.later(days=400).settle()
    assert stage.asks is None
    stage.freezes, stage.now = (), NOON
    stage.settle()
    assert stage.asks == "1"


def test_a_freeze_of_another_namespace_is_nothing_to_us() -> None:
    assert offered(Freeze("hold", namespaces=("other",))).asks == "1"


def test_a_gate_that_somebody_merged_counts_although_it_has_closed_since() -> None:
    stage = offered()
    stage.merge(look=False)
    stage.now = SATURDAY
    assert stage.settle().partition == 3


def test_nothing_that_goes_down_waits() -> None:
    stage = FrozenStage(groups("engine:a"), routed_policy())
    stage.settle().through("attach")
    stage.source(groups("engine:b")).settle().through(*ALL_GATES[:5])
    stage.freezes = (Freeze("hold"),)
    assert stage.settle() is stage
    assert stage.asks is None
    stage.order(Order.ABORT)
    assert stage.traffic[1] == [("engine:a", 100)]
    stage.look()
    assert stage.gate is not None
    assert stage.gate.step == "drained"
    assert stage.through("drained", "complete").gate is None


@pytest.mark.parametrize("what", ["attach", "delete"])
def test_routes_and_deletions_wait_too(what: str) -> None:
    stage = FrozenStage(groups("engine:a"), routed_policy() if what == "attach" else WEEK)
    stage.freezes = (Freeze("hold"),)
    stage.settle()
    if what == "delete":
        stage.source(None).settle()
    assert stage.last is not None
    assert stage.last.plan.gate is not None
    assert (stage.last.plan.gate.step, stage.asks) == (what, None)


def test_the_soak_and_the_window_have_both_to_be_over() -> None:
    soaking = replace(steps(1, "100%", soak=6 * 3600), windows=(DAYS,))
    stage: Stage = FrozenStage(groups("engine:a"), soaking)
    stage.settle().source(groups("engine:b")).settle().through("1")
    assert stage.last is not None
    assert stage.last.plan.gate_from == NOON + timedelta(hours=6)
    stage.later(hours=6).settle()
    assert stage.last.plan.gate_from == datetime(2026, 5, 4, 9, tzinfo=UTC)


def test_a_freeze_in_mid_rollout_leaves_everything_where_it_is() -> None:
    stage = going("canary", "canary-traffic")
    before = dict(stage.line.files)
    frozen = FrozenStage(stage.wanted, stage.policy, line=stage.line)
    frozen.freezes = (Freeze("hold"),)
    frozen.settle()
    assert dict(frozen.line.files) == before
