"""Inputs beside the checkout go through whole passes: what is refused, and what goes on."""

from pathlib import Path

import pytest

from gitops_rollout.api.settings import SourceSettings
from tests.passes.world import World, codes
from tests.shared import case

SERVING = "rollouts/serving"


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def given(name: str, *files: str) -> dict[str, bytes]:
    """Give files of a case as files of the source."""
    return {f"specs/{Path(file).name}": case(name, file).read_bytes() for file in files}


def workloads(world: World) -> set[str]:
    return {path.split("/")[2] for path in world.tree() if path.endswith("rollout.yaml")}


def test_a_key_that_stands_twice_refuses_its_file_alone(world: World) -> None:
    world.commit(given("04-duplicate-keys", "bad.yaml", "good.yaml"))
    report = world.poll()
    (problem,) = report.problems
    assert problem.file == "specs/bad.yaml"
    assert "image" in problem.message
    assert len(workloads(world)) == 1


def test_documents_of_one_file_are_objects_of_their_own(world: World) -> None:
    world.commit(given("08-multi-document", "multi.yaml"))
    report = world.settle()
    assert (workloads(world), report.refused) == ({"aurora-chat", "cedar-embed"}, False)


def test_a_yaml_directive_is_read_or_refused_and_never_nothing(world: World) -> None:
    world.commit(given("08-multi-document", "directive.yaml"))
    report = world.poll()
    assert report.workloads or report.refused


def test_a_chart_is_skipped_a_template_is_refused_and_the_rest_goes_on(world: World) -> None:
    root = case("09-helm-chart-in-folder", "repo")
    files = [path for path in root.rglob("*") if path.is_file()]
    world.told(source=SourceSettings(str(world.source), paths=("",)))
    world.commit({str(path.relative_to(root)): path.read_bytes() for path in files})
    report = world.poll()
    assert {problem.file for problem in report.problems} == {"specs/loose.yaml"}
    assert "CHART_SKIPPED" in codes(report)
    assert len(workloads(world)) == 1
    assert not [path for path in world.tree() if "{{" in world.read(path)]


def test_one_name_in_two_files_is_refused_in_both(world: World) -> None:
    world.commit(given("13-same-name-twice", *(f"repo/specs/{name}.yaml" for name in "abc")))
    report = world.poll()
    assert {problem.file for problem in report.problems} == {"specs/a.yaml", "specs/b.yaml"}
    assert {path.split("/")[1] for path in world.tree() if path.endswith("rollout.yaml")} == {"batch"}


def test_another_kind_of_the_same_name_is_refused_and_collides_with_nothing(world: World) -> None:
    # The case would take both; DESIGN 6 refuses a second kind of one name.
    world.commit(given("13-same-name-twice", "repo/specs/a.yaml", "repo/specs/d.yaml"))
    report = world.poll()
    assert {problem.code for problem in report.problems} == {"NAME_SHARED"}
    assert not world.refs()


def test_a_name_that_gives_too_long_names_is_refused_alone(world: World) -> None:
    world.commit(given("31-long-names", "fits.yaml", "over.yaml"))
    report = world.poll()
    assert {problem.file for problem in report.problems} == {"specs/over.yaml"}
    assert len(workloads(world)) == 1
