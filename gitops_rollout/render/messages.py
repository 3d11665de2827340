"""What commits and gates say: for people first, with trailers for machines.

Nothing is decided from a message; a forge may edit it. The one exception only ever makes us more
careful: a gate branch without our own seal counts as a person's and is not overwritten.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from gitops_rollout.api.workload import Thresholds, WorkloadKey
from gitops_rollout.render.question import Question
from gitops_rollout.render.questions import asked, subject_of
from gitops_rollout.render.text import impact_lines
from gitops_rollout.rollout.gate import Gate
from gitops_rollout.rollout.state import State, written

_SEAL, _OUTPUT = "Gate-Base", "Rollout-Output"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a change came from: the source commit and who wrote it."""

    commit: str
    author: str


def change(before: State | None, after: State) -> str:
    """Say in a few words what a commit does to one workload; first match wins."""
    if before is None:
        return f"publish {after.stable}"
    rows = (
        (before.stable != after.stable, f"complete: {after.stable} is stable"),
        (before.candidate is not None and after.candidate is None, f"back on {after.stable}"),
        (before.candidate != after.candidate, f"{after.candidate} at partition {_at(after)}"),
        (_requests(before) != _requests(after), _requests(after)),
        (_terms(before) != _terms(after), _route(after)),
        (_stage(before) != _stage(after), _stage(after)),
        (before.published.partition != after.published.partition, f"partition {_at(after)}"),
        (before.offered != after.offered and after.offered is not None, f"offer {after.offered}"),
        (before.offered != after.offered and before.candidate is not None, f"take {before.offered} back"),
        (before.offered != after.offered, f"no longer offer {before.offered}"),
        (before.rejected != after.rejected and after.rejected is not None, _rejected(after)),
        (before.rejected != after.rejected, "try again"),
        (before.withdraw != after.withdraw, _withdraw(after)),
        (before.since.drain is not None and after.since.drain is None, "its requests have ended"),
        (before.accepted.controls != after.accepted.controls, "follow its controls"),
        (before.accepted.policy != after.accepted.policy, "follow its policy"),
        (before.routerPolicy != after.routerPolicy, _policy(after)),
        (bool(_objects(before, after)), _objects(before, after)),
        (before.since.proven != after.since.proven, _proven(after)),
        (before.routed != after.routed, "see to its pools"),
        (before.graphs != after.graphs, "see to its graphs"),
    )
    return next((words for holds, words in rows if holds), "put back what was changed by hand")


def _requests(state: State) -> str:
    """Say which requests reach the candidate."""
    published = state.published
    marked = ["marked requests"] if published.header else []
    weighted = [f"{published.weight} % of the requests"] if published.weight else []
    return f"{' and '.join([*marked, *weighted]) or 'no request'} to {state.candidate}"


def _objects(before: State, after: State) -> str:
    """Say what becomes of graphs that stand beside each other; empty where they stand as they did."""
    had = {one.name: one for one in before.graphs}
    said = []
    for one in after.graphs:
        was = had.get(one.name)
        if was is None or was == one:
            continue
        leaves = one.stage == "leaving" and was.stage != "leaving"
        sizes = _numbers(one.replicas or {})
        said.append(f"take the protection off {one.name}" if leaves else f"{one.name} at {sizes}")
    return " and ".join(said)


def _terms(state: State) -> object:
    return state.routed.terms if state.routed else None


def _route(state: State) -> str:
    return "put its route in force" if _terms(state) is not None else "take its route away"


def _stage(state: State) -> str:
    stage = state.routed.stage if state.routed else "alone"
    return {"beside": "put its route beside the one of the source", "alone": "its route answers alone"}.get(
        stage, "take the protection off its route"
    )


def _policy(state: State) -> str:
    version = state.routerPolicy.version if state.routerPolicy is not None else 0
    return f"tell its routers version {version} of their policy"


def _at(state: State) -> str:
    shown = written(state.partition)
    return _numbers(shown) if isinstance(shown, dict) else str(shown)


def _numbers(by_component: Thresholds) -> str:
    return ", ".join(f"{name} {number}" for name, number in sorted(by_component.items()))


def _rejected(state: State) -> str:
    return f"{state.rejected.revision} {state.rejected.why}" if state.rejected else ""


def _proven(state: State) -> str:
    return "its step is proven" if state.since.proven else "its step is not proven any more"


def _withdraw(state: State) -> str:
    if state.withdraw is None:
        return "its spec is back"
    return {"delete": "its spec is gone", "unprotected": "take its protection off"}.get(
        state.withdraw.stage, "removal approved"
    )


def commit_message(changes: Sequence[tuple[WorkloadKey, str]], others: int, origin: Origin) -> str:
    """Give the message of one pass's commit. `others`: how many other objects it changes; without any
    change that was meant, it puts back what joins everything.
    """
    lines = [f"{key.namespace}/{key.name}: {words}" for key, words in changes]
    if others:
        lines.append(f"other objects: {others} changed")
    if not lines:
        lines = ["aggregates: put back what was changed by hand"]
    counted = [(len(changes), "workload"), (others, "other object")]
    many = " and ".join(f"{count} {word}{'s' * (count > 1)}" for count, word in counted if count)
    return _message(lines[0] if len(lines) == 1 else f"Update {many}", lines, origin)


def cleanup_message(keys: Sequence[WorkloadKey], origin: Origin) -> str:
    """Give the message of the commit that prunes history; reverting it brings the files back."""
    names = [f"{key.namespace}/{key.name}" for key in keys]
    subject = f"Prune the history of {names[0]}" if len(names) == 1 else f"Prune {len(names)} histories"
    return _message(subject, names, origin)


def _message(subject: str, lines: Sequence[str], origin: Origin) -> str:
    body = [] if len(lines) == 1 else [*lines, ""]
    return "\n".join([_cut(subject), "", *body, *_trailers(origin)]) + "\n"


def gate_message(key: WorkloadKey, question: Question, gate: Gate, base: str, output: str) -> str:
    """Give a gate's question, which is also the body of its pull request.

    `base` is its parent commit, `output` names the branch and the folder that it is about.
    """
    name, impact = f"{key.namespace}/{key.name}", question.impact
    subject = _cut(subject_of(name, gate, question.kind))
    lines = [subject, "", question.revision, "", *asked(key, question, gate)]
    if impact is not None and gate.partition is not None:
        lines += ["", "What changes over the whole rollout:", "", *impact_lines(impact)]
    lines += [
        "",
        *_ways(question, gate),
        "",
        f"Rollout-Workload: {key.namespace}/{key.kind}/{key.name}",
        f"Rollout-Revision: {gate.revision}",
        f"Rollout-Step: {gate.step}",
        f"Rollout-Attempt: {gate.attempt}",
        f"Rollout-Effect: {gate.effect}",
        f"{_OUTPUT}: {output}",
        f"{_SEAL}: {base}",
    ]
    return "\n".join(lines) + "\n"


def _ways(question: Question, gate: Gate) -> list[str]:
    if gate.route:
        return ["Merge this to approve. Nothing changes until you do."]
    return [
        "Merge this to approve. To stay here, or to go back to stable:",
        f"    gitops-rollout gate decline {question.typed}",
        f"    gitops-rollout abort {question.typed}",
    ]


def base_of(message: str) -> str:
    """Give the parent that a gate's message names; empty when it names none."""
    last = message.rstrip("\n").rpartition("\n")[2]
    return last.removeprefix(f"{_SEAL}: ") if last.startswith(f"{_SEAL}: ") else ""


def output_of(message: str) -> str:
    """Give the output that a gate's message is about; empty when it names none."""
    lines = message.rstrip("\n").splitlines()[-2:]
    return next((line.removeprefix(f"{_OUTPUT}: ") for line in lines if line.startswith(f"{_OUTPUT}: ")), "")


def _trailers(origin: Origin) -> list[str]:
    author = [f"Source-Author: {_cut(origin.author)}"] if origin.author else []
    return [f"Source-Commit: {origin.commit}", *author]


def _cut(line: str) -> str:
    return " ".join(line.split())[:200]
