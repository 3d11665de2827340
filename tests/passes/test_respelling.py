"""A respelling never reaches the output: not one byte, not one ref (DESIGN 4)."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import yaml
from hypothesis import Phase, given
from hypothesis import strategies as st

from gitops_rollout.api.values import mapping
from tests.drawn import drawn
from tests.kinds.specs import servings
from tests.passes.specs import serving
from tests.passes.world import World
from tests.respell import respelled

SLOW = (Phase.explicit, Phase.reuse, Phase.generate)
SPELLERS = (
    json.dumps,
    lambda value: yaml.safe_dump(value, sort_keys=False),
    lambda value: "\ufeff# words\r\n---\r\n" + yaml.safe_dump(value, indent=7).replace("\n", "\r\n"),
    lambda value: json.dumps(value, indent=1, ensure_ascii=True) + "\n---\n---\n# nothing\n",
)


@contextmanager
def somewhere() -> Iterator[World]:
    with TemporaryDirectory() as folder:
        yield World(Path(folder))


@drawn(20, phases=SLOW)
@given(st.data())
def test_a_respelling_of_what_is_stable_changes_no_byte(data: st.DataObject) -> None:
    value = data.draw(servings())
    with somewhere() as world:
        world.commit({"specs/a.yaml": json.dumps(value)})
        world.settle()
        before = world.refs()
        assert len(before) == 1
        world.commit({"specs/a.yaml": data.draw(st.sampled_from(SPELLERS))(data.draw(respelled(value)))})
        assert world.poll().settled
        assert world.refs() == before


@drawn(10, phases=SLOW)
@given(st.data())
def test_a_respelling_in_mid_rollout_changes_no_byte(data: st.DataObject) -> None:
    second = data.draw(servings())
    plain = mapping(yaml.safe_load(serving())["spec"])["template"]
    first = {**second, "spec": {**mapping(second["spec"]), "template": plain}}
    with somewhere() as world:
        world.commit({"specs/a.yaml": json.dumps(first)})
        world.settle()
        world.commit({"specs/a.yaml": json.dumps(second)})
        world.settle()
        for _ in range(3):
            before = world.refs()
            spell = data.draw(st.sampled_from(SPELLERS))
            world.commit({"specs/a.yaml": spell(data.draw(respelled(second)))})
            assert world.poll().settled
            assert world.refs() == before
            if world.gates():
                world.merge()
                world.settle()


@pytest.mark.parametrize("written", ["  replicas: 1\n", ""])
def test_replicas_that_are_written_or_not_are_not_a_respelling_of_each_other(
    world: World, written: str
) -> None:
    spelled = {text: serving().replace("  replicas: 4\n", text) for text in ("  replicas: 1\n", "")}
    world.commit({"specs/a.yaml": spelled[written]})
    world.settle()
    before = world.refs()
    world.commit({"specs/a.yaml": next(text for key, text in spelled.items() if key != written)})
    report = world.poll()
    assert [one.words for one in report.workloads] == ["follow its controls"]
    assert world.refs().keys() == before.keys()
