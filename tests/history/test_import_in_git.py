"""An import over real git, and what processes that never saw it make of it (case 23)."""

import pytest

from gitops_rollout.api.verdict import Verdict
from gitops_rollout.errors import Refused
from tests.history.past import importing, legacy, legacy_role
from tests.passes.specs import serving
from tests.passes.world import World, codes

OLD = legacy({"data": [legacy_role("engine:1")]})
PLUGIN = "  plugins: [{{name: p, type: BuiltIn, config: {{n: {}}}}}]\n"


def wants(world: World, number: int) -> None:
    world.commit({"specs/chat.yaml": serving(extra=PLUGIN.format(number))})


@pytest.fixture
def imported(world: World) -> World:
    wants(world, 1)
    world.settle()
    world.poll(importing(OLD))
    world.settle()
    return world


def test_23_a_first_migration_restarts_nothing(world: World) -> None:
    wants(world, 1)
    world.settle()
    before = world.read("rollouts/serving/chat/capacity/modelserving.yaml")
    world.poll(importing(OLD))
    assert "BASELINE" not in codes(world.settle())
    assert world.read("rollouts/serving/chat/capacity/modelserving.yaml") == before
    assert "chat-7d9f" in world.read("rollouts/serving/chat/rollout.yaml")
    assert world.gates() == []


@pytest.mark.parametrize("fresh", [False, True])
def test_23_a_plugin_edit_after_it_restarts_whoever_reads_it(imported: World, fresh: bool) -> None:
    world = imported.replica() if fresh else imported
    wants(world, 2)
    (report,) = world.poll().workloads
    assert report.impact is not None
    assert report.impact.verdict is Verdict.RESTART
    assert "all" in world.gate()


def test_an_import_that_is_repeated_moves_no_ref(imported: World) -> None:
    before = imported.refs()
    imported.replica().poll(importing(OLD))
    assert imported.refs() == before


@pytest.mark.parametrize("number", [1, 2])
def test_23_a_recreated_owner_is_refused_at_any_time(imported: World, number: int) -> None:
    wants(imported, number)
    imported.settle()
    before = imported.refs()
    with pytest.raises(Refused, match="u-1"):
        imported.poll(importing(legacy({"data": [legacy_role("engine:1")]}, uid="u-2")))
    assert imported.refs() == before
