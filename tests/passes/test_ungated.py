"""ConfigMaps that change under running pods are published at once, and said aloud."""

from tests.passes.specs import config, serving
from tests.passes.world import World, codes

USES = "            envFrom: [{configMapRef: {name: notes}}]\n            image:"


def test_a_changed_config_of_running_pods_is_told(world: World) -> None:
    world.commit({"specs/chat.yaml": serving().replace("            image:", USES), "specs/n.yaml": config()})
    assert "UNGATED_CONFIG" not in codes(world.poll())
    world.commit({"specs/n.yaml": config(value="other")})
    assert "UNGATED_CONFIG" in codes(world.poll())


def test_a_changed_config_that_nobody_uses_is_not(world: World) -> None:
    world.commit({"specs/chat.yaml": serving(), "specs/n.yaml": config()})
    world.poll()
    world.commit({"specs/n.yaml": config(value="other")})
    assert "UNGATED_CONFIG" not in codes(world.poll())
