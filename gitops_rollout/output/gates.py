"""Gate branches in plain git: one question, one branch, never over somebody's commits (DESIGN 8).

A branch whose head is ours is rebuilt or removed under its own lease. One with a person's commit
stays; while it still stands on what is published it counts as the gate, afterwards its successor
takes another name.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from gitops_rollout.api.problems import Problem
from gitops_rollout.output.versions import Place
from gitops_rollout.ports import CommitInfo, Repository
from gitops_rollout.render.messages import base_of, output_of

_FAR = 50  # commits of people on one gate branch


@dataclass(frozen=True, slots=True)
class Branches:
    """What is to happen to the gate branches of one workload."""

    remove: Mapping[str, str]
    """Ref → the commit that it must still be at."""
    create: str | None = None
    """The ref to build the gate on, None when there is nothing to ask or it is asked already."""
    replaces: str | None = None
    """The commit that `create` must still be at; None: it must not be there."""
    open: str | None = None
    """The ref where the question stands after this."""
    notes: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Writer:
    """Who asks: the committer that we write as, and the output (branch and folder) that we ask about.

    Several outputs may stand in one repository, and their gates beside each other.
    """

    committer: str
    output: str


def arrange(
    place: Place, head: str, wanted: str | None, existing: Mapping[str, str], writer: Writer
) -> Branches:
    """Say what happens to the branches in `existing` when the gate at ref `wanted` is due."""
    us = writer.committer
    remove: dict[str, str] = {}
    notes: list[Problem] = []
    stale: str | None = None
    own = {
        ref: commit for ref, commit in existing.items() if not of_another(place.repository, commit, writer)
    }
    for ref, commit in sorted(own.items()):
        mine = is_ours(place.repository, commit, us)
        asks = wanted is not None and re.fullmatch(re.escape(wanted) + r"(-\d+)?", ref) is not None
        if asks and _stands(place, head, commit, us):
            notes += [] if mine else [_edited(ref)]
            others = _removable(place.repository, own, ref, us)
            return Branches(others, open=ref, notes=tuple(notes))
        if asks and mine:
            stale = ref
        elif mine:
            remove[ref] = commit
        else:
            notes.append(_edited(ref))
    if wanted is None:
        return Branches(remove, notes=tuple(notes))
    if stale is not None:
        return Branches(remove, stale, own[stale], stale, tuple(notes))
    free = _free(wanted, existing)
    return Branches(remove, free, None, free, tuple(notes))


def _removable(repository: Repository, existing: Mapping[str, str], keep: str, us: str) -> dict[str, str]:
    return {
        ref: commit for ref, commit in existing.items() if ref != keep and is_ours(repository, commit, us)
    }


def is_ours(repository: Repository, commit: str, us: str) -> bool:
    """Say whether nobody but us wrote this head: our committer, and a message that names its parent."""
    return _is_sealed(repository.info(commit), us)


def of_another(repository: Repository, commit: str, writer: Writer) -> bool:
    """Say whether a gate, perhaps under commits of people, asks about another output than ours."""
    question = _question(repository, commit, writer.committer)
    return question is not None and output_of(question.message) != writer.output


def _is_sealed(info: CommitInfo, us: str) -> bool:
    return info.committer == us and info.parents == (base_of(info.message),)


def _question(repository: Repository, commit: str, us: str) -> CommitInfo | None:
    """Find our question below the commits of people, None where there is none."""
    for _ in range(_FAR):
        info = repository.info(commit)
        if _is_sealed(info, us):
            return info
        if not info.parents:
            return None
        commit = info.parents[0]
    return None


def _stands(place: Place, head: str, commit: str, us: str) -> bool:
    """Say whether a gate, perhaps under commits of people, was built on the folder as it is now."""
    question = _question(place.repository, commit, us)
    if question is None:
        return False
    base = question.parents[0]
    return place.repository.tree(base, place.folder) == place.repository.tree(head, place.folder)


def _free(wanted: str, existing: Mapping[str, str]) -> str:
    name, number = wanted, 1
    while name in existing:
        number += 1
        name = f"{wanted}-{number}"
    return name


def _edited(ref: str) -> Problem:
    return Problem(
        code="GATE_MODIFIED",
        message=f"{ref.removeprefix('refs/heads/')} holds commits of people: it is left alone",
    )
