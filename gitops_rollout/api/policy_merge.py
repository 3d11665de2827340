"""Which policy a workload has, and where each of its fields comes from."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TypeAlias, TypeVar

from gitops_rollout.api.duration import written
from gitops_rollout.api.policy import (
    ALL,
    BUILT_IN,
    COUNTS_NEED_REPLICAS,
    RENAMES_GRAPH,
    Deletion,
    Gate,
    Policy,
    Proof,
    ReplicasFrom,
    Step,
)
from gitops_rollout.api.policy_document import (
    NO_AUTOMATIC,
    POLICY_ANNOTATION,
    Fields,
    RevisionRollout,
    RolloutPolicy,
    WrittenStep,
)
from gitops_rollout.api.problems import Problem
from gitops_rollout.api.router_terms import ISOLATION, RouterTerms

Level: TypeAlias = tuple[str, Fields]
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the value of one field comes from: `RolloutPolicy standard (policyRef)`, `built-in`."""

    field: str
    value: str
    origin: str


@dataclass(frozen=True, slots=True)
class Explained:
    """The policy of one workload and the origin of each field.

    With problems, something that people named is not there: a workload that has an accepted policy
    keeps it, and `policy` is only for one that has none yet.
    """

    policy: Policy
    origins: tuple[Origin, ...]
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Wish:
    """What speaks for one workload: the file it stands in, its own RevisionRollout, policies by name."""

    file: str = ""
    rollout: RevisionRollout | None = None
    annotation: str | None = None
    default: str | None = None
    """The pipeline's default policy."""


def merge_policy(wish: Wish, policies: Mapping[str, RolloutPolicy]) -> Explained:
    """Merge field by field, first written wins: the workload's RevisionRollout, its policyRef, the
    annotation gitops-rollout.io/policy, the nearest folder's policy, the pipeline's default, built-in.
    """
    levels: list[Level] = []
    problems: list[Problem] = []
    if wish.rollout is not None and wish.rollout.fields is not None:
        levels.append((f"RevisionRollout {wish.rollout.name}", wish.rollout.fields))
    elif wish.rollout is not None:
        problems.append(_unknown(wish, "", f"RevisionRollout {wish.rollout.name} is refused"))
    for how, name, path in _named(wish, policies):
        policy = policies.get(name)
        if policy is not None and policy.fields is not None:
            levels.append((f"RolloutPolicy {name} ({how})", policy.fields))
        else:
            what = "is refused" if policy else "is not in the source"
            problems.append(_unknown(wish, path, f"RolloutPolicy {name} ({how}) {what}"))
    return _decided(levels, tuple(problems))


def _named(wish: Wish, policies: Mapping[str, RolloutPolicy]) -> Iterator[tuple[str, str, str]]:
    if wish.rollout is not None and wish.rollout.policy_ref is not None:
        yield "policyRef", wish.rollout.policy_ref, "spec.policyRef"
    if wish.annotation is not None:
        yield "annotation", wish.annotation, f"metadata.annotations[{POLICY_ANNOTATION}]"
    nearest = _nearest(wish.file, policies.values())
    if nearest is not None:
        yield f"folder {PurePosixPath(nearest.file).parent}", nearest.name, ""
    if wish.default is not None:
        yield "pipeline default", wish.default, ""


def _nearest(file: str, policies: Iterable[RolloutPolicy]) -> RolloutPolicy | None:
    above = [*PurePosixPath(file).parents]
    own = [policy for policy in policies if policy.for_folder and PurePosixPath(policy.file).parent in above]
    return min(own, key=lambda policy: above.index(PurePosixPath(policy.file).parent), default=None)


def _unknown(wish: Wish, path: str, what: str) -> Problem:
    message = f"{what}; the workload keeps the policy that was last accepted"
    return Problem(file=wish.file, path=path, code="POLICY_UNKNOWN", message=message)


def _decided(levels: Sequence[Level], problems: tuple[Problem, ...]) -> Explained:
    """Take each field from the first level that writes it."""
    steps, steps_from = _first([(origin, level.steps) for origin, level in levels], _BUILT_IN_STEPS)
    soak, soak_from = _first([(origin, level.soak) for origin, level in levels], BUILT_IN.soak)
    gate, gate_from = _first([(origin, level.gate) for origin, level in levels], Gate.MERGE)
    checks, checks_from = _first([(origin, level.checks) for origin, level in levels], ())
    own = Step("", ALL.replicas, soak, gate, checks=checks)
    plain = {
        name: _first([(origin, getattr(level, name)) for origin, level in levels], getattr(BUILT_IN, name))
        for name in _PLAIN
    }
    values = {name: value for name, (value, _) in plain.items()}
    if faults := tuple(_contradictions([_step(step, own) for step in steps], values)):
        problems = (*problems, *faults)
        steps, steps_from, own = _BUILT_IN_STEPS, "built-in", replace(own, gate=Gate.MERGE)
        values["deletion"] = Deletion.KEEP if values["deletion"] is Deletion.KEEP else Deletion.GATE
        values["router_policy"] = ISOLATION
    origins = (
        Origin("steps", ", ".join(f"{step.name}: {step.replicas}" for step in steps), steps_from),
        Origin("soak", written(soak), soak_from),
        Origin("gate", gate.value, gate_from),
        Origin("checks", ", ".join(one.name for one in checks) or "none", checks_from),
        *(Origin(_PLAIN[name], _shown(name, value), origin) for name, (value, origin) in plain.items()),
    )
    policy = Policy(tuple(_step(step, own) for step in steps), soak, **values)
    return Explained(policy, origins, problems)


def _contradictions(steps: Sequence[Step], values: Mapping[str, object]) -> Iterator[Problem]:
    """Find what documents say together that could not know of each other."""
    unobserved, routers = values["proof"] is Proof.MANUAL, values["router_policy"]
    told = isinstance(routers, RouterTerms) and routers.managed
    counted = values["replicas_from"] is ReplicasFrom.CLUSTER
    rows = (
        (counted and not all(one.replicas.percent for one in steps), "steps", COUNTS_NEED_REPLICAS),
        (unobserved and values["deletion"] is Deletion.AUTOMATIC, "deletion", NO_AUTOMATIC),
        (unobserved and told, "routerPolicy", _NOBODY_SEES),
        *(
            (unobserved and one.gate is Gate.AUTOMATIC, f"steps[{index}].gate", NO_AUTOMATIC)
            for index, one in enumerate(steps)
        ),
    )
    yield from (
        Problem(path=path, code="POLICY_INVALID", message=words) for holds, path, words in rows if holds
    )


_NOBODY_SEES = (
    "what routers answer is observed, and under Manual proof nobody asks them;"
    " write proof: Cluster, or mode: Isolation"
)
_PLAIN = {
    "proof": "proof",
    "strategy": "strategy",
    "renames_graph": "renamesGraph",
    "capacity": "capacity",
    "release_groups": "releaseGroups",
    "contracts": "compatibility",
    "retire_delay": "retireDelay",
    "router_policy": "routerPolicy",
    "suspend": "suspend",
    "deletion": "deletion",
    "revision_history_limit": "revisionHistoryLimit",
    "rollback_window": "rollbackWindow",
    "on_new_revision": "onNewRevision",
    "replicas_from": "replicasFrom",
    "timeouts": "timeouts",
    "windows": "windows",
}
"""Fields whose value is taken as it is, by their names here and as people write them."""
_WORDS: Mapping[tuple[str, object], str] = {
    ("strategy", None): "the kind's own",
    ("renames_graph", False): "not accepted",
    ("renames_graph", True): RENAMES_GRAPH,
    ("release_groups", ()): "none",
    ("contracts", ()): "none",
    ("windows", ()): "always",
}
"""Values that people write otherwise, or not at all."""


def _shown(name: str, value: object) -> str:
    """Give a value as people write it."""
    if isinstance(value, tuple) and value:
        return ", ".join(map(str, value))
    if name == "retire_delay" and isinstance(value, int):
        return written(value)
    return _WORDS.get((name, value)) or (str(value).lower() if isinstance(value, bool) else str(value))


_BUILT_IN_STEPS = tuple(WrittenStep(step.name, step.replicas) for step in BUILT_IN.steps)


def _first(levels: Sequence[tuple[str, _Value | None]], default: _Value) -> tuple[_Value, str]:
    """Give the first value that is written, and by whom."""
    return next(((value, origin) for origin, value in levels if value is not None), (default, "built-in"))


def _step(step: WrittenStep, own: Step) -> Step:
    """Decide a step; `own` holds what counts for steps that do not say."""
    return Step(
        step.name,
        step.replicas,
        own.soak if step.soak is None else step.soak,
        own.gate if step.gate is None else step.gate,
        step.traffic,
        own.checks if step.checks is None else step.checks,
    )
