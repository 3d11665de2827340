"""Writing: first what is published, in one push; then each question, under its own lease (DESIGN 6)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.settings import Pipeline
from gitops_rollout.drafts import Changes, Written, offered_impact
from gitops_rollout.errors import PushRejected
from gitops_rollout.kinds.registry import typed
from gitops_rollout.output.gates import Branches, Writer, arrange, is_ours, of_another
from gitops_rollout.output.versions import Place
from gitops_rollout.ports import NewCommit, RefUpdate, Repository
from gitops_rollout.render.messages import (
    Origin,
    cleanup_message,
    commit_message,
    gate_message,
)
from gitops_rollout.render.question import Question
from gitops_rollout.report import WorkloadReport
from gitops_rollout.revision.words import named
from gitops_rollout.rollout import gate as gates
from gitops_rollout.source.source import Source

GATES = f"{gates.PREFIX}/*"
Drafts = Sequence[tuple[Place, Written]]


@dataclass(frozen=True, slots=True)
class Published:
    """Where the output branch is after the push, and the commits that were added."""

    head: str | None
    commits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Publisher:
    """Writes on top of exactly the head that was read; a head that moved is never written over."""

    output: Repository
    pipeline: Pipeline
    us: str
    head: str | None

    def origin(self, repository: Repository, source: Source) -> tuple[Origin, int]:
        """Say where this pass's changes come from, and the date that its commits carry (R16)."""
        info = repository.info(source.commit)
        origin = Origin(source.commit, info.author)
        if source.dry is not None:
            origin = Origin(source.dry.commit, source.dry.author)
        parent = self.output.info(self.head).committed if self.head else 0
        return origin, max(info.committed, parent)

    def publish(self, drafts: Drafts, files: Changes, origin: Origin, date: int) -> Published:
        """Commit what changed, prune in a commit of its own, and push both at once."""
        changed = [(draft.key, draft.words) for _, draft in drafts if draft.publish]
        pruned = [draft.key for _, draft in drafts if draft.cleanup]
        publish = self._below(drafts, files, cleanup=False)
        cleanup = self._below(drafts, {}, cleanup=True)
        head, commits = self.head, []
        others = sum(1 for path in files if not path.endswith(("kustomization.yaml", ".gitattributes")))
        for changes, message in (
            (publish, commit_message(changed, others, origin)),
            (cleanup, cleanup_message(pruned, origin) if pruned else ""),
        ):
            if changes:
                parents = (head,) if head else ()
                head = self.output.write(NewCommit(parents, changes, message, date))
                commits.append(head)
        if commits:
            self.output.push([RefUpdate(self._branch, self.head, head)])
        return Published(head, tuple(commits))

    def ask(
        self, published: Published, drafts: Drafts, refs: Mapping[str, str], date: int
    ) -> tuple[list[WorkloadReport], int]:
        """Bring the gate branches of these workloads in line with what is published.

        Gives each workload's report, and how many branches were touched.
        """
        reports: list[WorkloadReport] = []
        updates: list[RefUpdate] = []
        by_folder = grouped(refs)
        for place, draft in drafts:
            existing = by_folder.get(gates.folder_ref(draft.key, place.kind.short), {})
            branches = self._arranged(place, draft, published.head, existing)
            updates += self._updates(place, draft, branches, published.head, date)
            reports.append(_report(place, draft, branches))
        lost = self._push(updates)
        return [
            _unasked(report) if f"refs/heads/{report.branch}" in lost else report for report in reports
        ], len(updates)

    def forget(self, refs: Mapping[str, str]) -> int:
        """Remove gate branches of ours whose workload is gone; gives how many."""
        updates = [
            RefUpdate(ref, commit, None, fast_forward=False)
            for ref, commit in refs.items()
            if is_ours(self.output, commit, self.us) and not of_another(self.output, commit, self._writer)
        ]
        self._push(updates)
        return len(updates)

    @property
    def _writer(self) -> Writer:
        return Writer(self.us, f"{self.pipeline.output.branch}:{self.pipeline.output.root}")

    @property
    def _branch(self) -> str:
        return f"refs/heads/{self.pipeline.output.branch}"

    def _below(self, drafts: Drafts, files: Changes, *, cleanup: bool) -> dict[str, bytes | None]:
        """Give changes by path in the repository."""
        root = f"{self.pipeline.output.root}/" if self.pipeline.output.root else ""
        changes: dict[str, bytes | None] = {f"{root}{path}": content for path, content in files.items()}
        for place, draft in drafts:
            part = draft.cleanup if cleanup else draft.publish
            changes.update({f"{place.folder}/{path}": content for path, content in part.items()})
        return changes

    def _arranged(
        self, place: Place, draft: Written, head: str | None, existing: Mapping[str, str]
    ) -> Branches:
        gate = draft.plan.asked
        if head is None or (gate is None and not existing):
            return Branches({})
        wanted = gates.ref_name(draft.key, place.kind.short, gate) if gate else None
        return arrange(place, head, wanted, existing, self._writer)

    def _updates(
        self, place: Place, draft: Written, branches: Branches, head: str | None, date: int
    ) -> list[RefUpdate]:
        updates = [
            RefUpdate(ref, commit, None, fast_forward=False) for ref, commit in branches.remove.items()
        ]
        gate = draft.plan.gate
        if branches.create is None or gate is None or head is None:
            return updates
        changes = {f"{place.folder}/{path}": content for path, content in draft.gate_files().items()}
        impact = offered_impact(place.kind, draft.key, draft.plan)
        kind = place.kind.under(draft.state.strategy)
        revision = named(draft.plan.kept, gate.revision)
        question = Question(draft.state, impact, revision, typed(draft.key), kind, draft.plan.kept)
        message = gate_message(draft.key, question, gate, head, self._writer.output)
        commit = self.output.write(NewCommit((head,), changes, message, date))
        return [*updates, RefUpdate(branches.create, branches.replaces, commit, fast_forward=False)]

    def _push(self, updates: Sequence[RefUpdate]) -> set[str]:
        """Push all at once; where one ref is not taken, each by itself. Gives those that were not: the
        next pass sees to them.
        """
        lost: set[str] = set()
        try:
            if updates:
                self.output.push(updates)
        except PushRejected:
            for update in updates:
                try:
                    self.output.push([update])
                except PushRejected:
                    lost.add(update.ref)
        return lost


def grouped(refs: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Give the gate branches by the folder that their workload's gates stand in."""
    found: dict[str, dict[str, str]] = {}
    for ref, commit in refs.items():
        if ref.startswith(f"{gates.PREFIX}/"):
            found.setdefault(ref.rpartition("/")[0], {})[ref] = commit
    return found


def _unasked(report: WorkloadReport) -> WorkloadReport:
    """Say that the question could not be put where it belongs."""
    message = f"{report.branch} was not taken: it has moved, or another branch's name is in its way"
    return replace(report, branch="", notes=(*report.notes, Problem(code="GATE_NOT_OPENED", message=message)))


def _report(place: Place, draft: Written, branches: Branches) -> WorkloadReport:
    plan = draft.plan
    return WorkloadReport(
        draft.key,
        state=None if plan.remove else draft.state,
        history=plan.kept,
        words=draft.words or ("prune history" if draft.cleanup else ""),
        gate=plan.gate,
        branch=(branches.open or "").removeprefix("refs/heads/"),
        gate_from=plan.gate_from,
        look_again=plan.look_again,
        closed=plan.closed,
        unproven=plan.unproven,
        follows=plan.follows,
        stuck=plan.stuck,
        impact=None if plan.blocked else offered_impact(place.kind, draft.key, plan),
        notes=(*plan.notes, *branches.notes),
        problems=plan.problems,
        blocked=plan.blocked,
        removed=plan.remove,
    )
