"""Real manifests beside the checkout: every object of a file with several goes in and comes out."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.passes.world import World
from tests.shared import shared

Manifest = tuple[Path, list[dict[str, Any]]]
WORKLOADS = ("ModelServing", "DynamoGraphDeployment")
REFUSED = {
    "NAME",
    "NAME_TOO_LONG",
    "REQUIRED",
    "TYPE",
    "NAME_SHARED",
    "NOT_AN_OBJECT",
    "UNREADABLE",
    "TEMPLATED",
}


def manifests() -> Iterator[Manifest]:
    """Give the files with more than one object that another reader can read, too."""
    for path in sorted(shared("data").rglob("*.yaml")):
        if path.name in ("kustomization.yaml", "Chart.yaml", "values.yaml") or "$" in path.read_text("utf-8"):
            continue
        try:
            found = [one for one in yaml.safe_load_all(path.read_text("utf-8")) if isinstance(one, dict)]
        except yaml.YAMLError:
            continue
        if len(found) > 1:
            yield path, found


def identity(one: dict[str, Any]) -> tuple[str, ...]:
    metadata = one.get("metadata", {})
    group = str(one.get("apiVersion")).rpartition("/")[0]
    return group, str(one.get("kind")), metadata.get("namespace") or "default", str(metadata.get("name"))


def grouped(files: Iterator[Manifest]) -> list[list[Manifest]]:
    """Put files beside each other that share no object."""
    groups: list[tuple[set[tuple[str, ...]], list[Manifest]]] = []
    for path, objects in files:
        mine = {identity(one) for one in objects}
        found = next((group for group in groups if not group[0] & mine), None)
        if found is None:
            groups.append((mine, [(path, objects)]))
        else:
            found[0].update(mine)
            found[1].append((path, objects))
    return [group for _, group in groups]


@pytest.mark.slow
def test_no_object_of_a_file_with_several_is_lost(tmp_path: Path) -> None:
    groups = grouped(manifests())
    assert sum(len(group) for group in groups) > 40
    for number, group in enumerate(groups):
        world = World(tmp_path / str(number))
        names = {f"specs/{index:03}.yaml": path for index, (path, _) in enumerate(group)}
        world.commit({name: path.read_bytes() for name, path in names.items()})
        problems = world.poll().problems
        assert {one.code for one in problems} <= REFUSED
        refused = {names[one.file] for one in problems}
        clone = world.checkout(world.folder / "clone")
        published = [_read(file) for file in clone.glob("rollouts/*/_others/*.yaml")]
        published += [_read(file) for file in clone.glob("rollouts/_cluster/*.yaml")]
        for path, objects in group:
            wanted = [one for one in objects if one["kind"] not in (*WORKLOADS, "Secret", "RolloutPolicy")]
            assert path in refused or all(one in published for one in wanted), path
            workloads = [one for one in objects if one["kind"] in WORKLOADS]
            assert path in refused or all(_rendered(clone, one) for one in workloads), path


def _rendered(clone: Path, one: dict[str, Any]) -> bool:
    """Say whether a workload is published in a folder of its own, of its kind and under its name."""
    _, kind, namespace, name = identity(one)
    files = (clone / "rollouts" / namespace / name / "capacity").glob("*.yaml")
    return kind in {_read(file).get("kind") for file in files}


def _read(file: Path) -> Any:
    return yaml.safe_load(file.read_text("utf-8"))
