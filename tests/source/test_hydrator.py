"""A branch that somebody rendered says where it comes from."""

import json

import pytest

from gitops_rollout.source.source import Dry
from tests.source.desk import Desk, serving

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize("path", ["hydrator.metadata", "specs/hydrator.metadata"])
def test_commit_and_author_are_read_at_the_root_or_beside_the_specs(desk: Desk, path: str) -> None:
    said = {"drySha": COMMIT, "author": "Ada <ada@example.test>", "references": []}
    desk.write({"specs/a.yaml": serving("a"), path: json.dumps(said)})
    assert desk.read().dry == Dry(COMMIT, "Ada <ada@example.test>")


def test_the_nearer_file_counts(desk: Desk) -> None:
    desk.write({"specs/a.yaml": serving("a"), "hydrator.metadata": json.dumps({"drySha": COMMIT})})
    desk.write({"specs/hydrator.metadata": json.dumps({"drySha": COMMIT[::-1]})})
    assert desk.read().dry == Dry(COMMIT[::-1])


@pytest.mark.parametrize("content", ["", "{", "[]", '{"drySha": 1}', '{"drySha": "--option"}', "[" * 100_000])
def test_what_says_no_commit_is_as_good_as_nothing(desk: Desk, content: str) -> None:
    desk.write({"specs/a.yaml": serving("a"), "hydrator.metadata": content})
    source = desk.read()
    assert (source.dry, source.problems) == (None, ())
