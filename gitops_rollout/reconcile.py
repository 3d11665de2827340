"""ONE PASS: read, decide, write (the file to open first).

A pass holds no state between calls: what it may depend on it reads from the two repositories, and
each of its effects is safe to repeat. Whatever it leaves undone, by error or by crash, the next does.
"""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import datetime

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.settings import Others, Pipeline
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.aside import After, aside_changes, leave_aside, read_aside
from gitops_rollout.desired import want
from gitops_rollout.drafts import Written, written
from gitops_rollout.errors import BranchProtected, PushRejected, Refused
from gitops_rollout.kinds.protocol import Kind
from gitops_rollout.memory import Memory
from gitops_rollout.output.heads import Absent
from gitops_rollout.output.listing import Output, kind_of, read_output
from gitops_rollout.output.ours import Ours
from gitops_rollout.output.versions import Place
from gitops_rollout.ports import Repository
from gitops_rollout.publish import GATES, Publisher, grouped
from gitops_rollout.renames import renames
from gitops_rollout.render.root import taken
from gitops_rollout.report import Report, WorkloadReport
from gitops_rollout.rollout.draft import Desired, Head, Order, Scene
from gitops_rollout.rollout.file import NAME
from gitops_rollout.rollout.gate import folder_ref
from gitops_rollout.rollout.plan import begin, plan, refusal
from gitops_rollout.source.source import Source
from gitops_rollout.standing import HALVES, folders_after, in_the_way, replaced_routes
from gitops_rollout.world import Heads, World, rewritten, unknown_kind

TRIES = 5
"""How often a lost race is read and decided anew within one pass."""


@dataclass(frozen=True)
class Reconciler:
    """Brings the output branch one step closer to what the source and the merges say."""

    pipeline: Pipeline
    source: Repository
    output: Repository
    kinds: Mapping[str, Kind]
    read_source: Callable[[str], Source]
    us: str
    orders: Mapping[WorkloadKey, Order] = field(default_factory=dict)
    memory: Memory = field(default_factory=Memory)

    def reconcile(self, now: datetime) -> Report:
        """Do one pass; a lost race is read and decided anew, a bounded number of times.

        Raises BranchProtected when the server takes no push, PushRejected when every race was lost,
        Refused when an order cannot be followed.
        """
        lost: PushRejected | BranchProtected | None = None
        for _ in range(TRIES):
            heads = self.look()
            if not self.orders and self.memory.idle(heads.print, now):
                return self._nothing_new(heads)
            try:
                return self.attempt(heads, now)
            except PushRejected as error:
                lost = error
            except BranchProtected as error:
                # A hook that declines one push is a race that was lost on the server, too. Twice
                # is an answer.
                if isinstance(lost, BranchProtected):
                    raise
                lost = error
        raise lost or PushRejected("every race was lost")

    def look(self) -> Heads:
        """Ask both remotes where they are: all that an idle pass costs."""
        ref = f"refs/heads/{self.pipeline.source.branch}"
        branch = f"refs/heads/{self.pipeline.output.branch}"
        # Both at once: nothing but waiting for two servers happens here.
        with ThreadPoolExecutor(1) as beside:
            asked = beside.submit(self.source.refs, ref)
            refs = self.output.refs(branch, GATES)
            at = asked.result()
        if ref not in at:
            named = self.pipeline.source.branch
            raise Refused(
                f"the source has no branch {named}: push one, or name another; nothing is taken for deleted"
            )
        return Heads(at, at[ref], refs, branch)

    def attempt(self, heads: Heads, now: datetime) -> Report:
        """Read, decide, write, once."""
        # Read. All that the decisions may depend on is read here and nowhere else.
        world = self.read(heads)

        # Decide. Pure but for reading single workloads: the same inputs give the same plans.
        reports: list[WorkloadReport] = []
        drafts: list[tuple[Place, Written]] = []
        quiet = dict(self._quiet(world))
        for key, kind in sorted(world.keys.items()):
            if str(key) in quiet:
                continue
            place = Place(self.output, self.pipeline.output.root, key, kind)
            decided = self.decide(world, place, now)
            if isinstance(decided, WorkloadReport):
                reports.append(decided)
            else:
                drafts.append((place, decided))

        # Write: what is published first, then the questions about it.
        files, warnings = self._aside(world, drafts, quiet)
        warnings = (*warnings, *renames(world.source, ((place.kind, one) for place, one in drafts)))
        publisher = Publisher(self.output, self.pipeline, self.us, heads.head)
        origin, date = publisher.origin(self.source, world.source)
        published = publisher.publish(drafts, files, origin, date)
        asked, touched = publisher.ask(published, drafts, heads.refs, date)
        touched += publisher.forget(self._orphans(world))
        return Report(
            self.pipeline.name,
            world.source.commit,
            published.head,
            tuple(sorted([*reports, *asked], key=lambda report: report.key)),
            (*world.problems, *world.source.problems),
            (*world.warnings, *warnings),
            published.commits,
            touched,
            quiet | {str(one.key): world.print_of(one.key) for one in asked if one.quiet},
            heads=heads.print,
        )

    def read(self, heads: Heads) -> World:
        """Read both repositories at these heads."""
        self.source.fetch(heads.source)
        self.output.fetch(heads.refs)
        source = self.read_source(heads.commit)
        output = read_output(self.output, heads.head, self.pipeline.output.root)
        keys, problems = self._keys(source, output)
        recorded = [key for key in keys if output.tree(key) is not None]
        removed: Mapping[str, str] = {}
        if heads.head is not None and len(recorded) < len(keys):
            removed = self.output.removed_on_first_parent(heads.head, output.root, NAME)
        aside = leave_aside(output) if self._ignored else read_aside(source, output)
        wanted = want(source, self.pipeline, recorded, aside.published())
        changed, past = self._rewritten(heads)
        gates = grouped(heads.refs)
        ours = Ours(self.output, output.root, self.us, heads.head)
        return World(source, output, ours, gates, keys, removed, aside, wanted, problems, changed, past)

    def _rewritten(self, heads: Heads) -> tuple[tuple[Problem, ...], str | None]:
        """Notice a branch that does not follow from where it was seen last (case 60, R3).

        For the output, its last head is given too: a record that vanished with the rewound part is
        taken from there. A memory that is lost is only less careful, never more permissive.
        """
        warnings, past = [], None
        source, output = self.memory.source, self.memory.output
        if source and not _follows(self.source, source, heads.commit):
            warnings.append(rewritten("source", source, heads.commit))
        if output and (heads.head is None or not _follows(self.output, output, heads.head)):
            warnings.append(rewritten("output", output, heads.head or "nothing"))
            past = output if self.output.has(output) else None
        return tuple(warnings), past

    def _quiet(self, world: World) -> Iterator[tuple[str, str]]:
        """Give the workloads that need no look: nothing that their plan came from has changed."""
        quiet = self.memory.quiet()
        for key in world.keys.keys() - self.orders.keys():
            known = quiet.get(str(key))
            folder = world.output.path(key.namespace, key.name)
            if known is not None and known == world.print_of(key) and world.ours.left(folder):
                yield str(key), known

    def _nothing_new(self, heads: Heads) -> Report:
        return Report(
            self.pipeline.name,
            heads.commit,
            heads.head,
            (),
            idle=True,
            still_refused=self.memory.refused,
        )

    def _orphans(self, world: World) -> dict[str, str]:
        folders = {folder_ref(key, kind.short) for key, kind in world.keys.items()}
        gone = (refs for folder, refs in world.gates.items() if folder not in folders)
        return {ref: commit for refs in gone for ref, commit in refs.items()}

    def decide(self, world: World, place: Place, now: datetime) -> WorkloadReport | Written:
        """Plan one workload. A report: nothing can be planned, and it says why."""
        key = place.key
        head = world.head_of(place, self.pipeline.name)
        if isinstance(head, Problem):
            return WorkloadReport(key, blocked=(head,))
        desired, order = self._desired(world, place, head), self.orders.get(key)
        scene = Scene(key, place.kind, desired, now, world.source.commit, self.pipeline.name, order)
        if order is not None:
            why = "it is not published yet" if isinstance(head, Absent) else refusal(scene, head)
            if why:
                raise Refused(f"{key}: {why}")
        stamp = (world.source.commit, now)
        if isinstance(head, Head):
            return written(place.kind, key, plan(scene, head), head, stamp)
        if desired.spec is None:
            return WorkloadReport(key, problems=world.source.refused.get(key, ()))
        if head.taken:
            return WorkloadReport(key, blocked=(taken(f"{place.folder}/{head.taken[0]}"),))
        return written(place.kind, key, begin(scene, desired.spec, head.last_seq), None, stamp)

    @staticmethod
    def _desired(world: World, place: Place, head: Head | Absent) -> Desired:
        """Give what is wanted, and whether people have something where its route belongs (case 49)."""
        desired = world.wanted.of(place.key)
        gateway = desired.policy.gateway if desired.policy is not None else None
        found = in_the_way(world, place, head, gateway) if gateway is not None else None
        if found is None:
            return desired
        return replace(desired, problems=(*desired.problems, found), obstructed=True)

    def _keys(self, source: Source, output: Output) -> tuple[dict[WorkloadKey, Kind], tuple[Problem, ...]]:
        """Give every workload that is wanted or recorded, with its kind."""
        keys = {
            key: self.kinds[key.kind] for key in [*source.specs, *source.refused] if key.kind in self.kinds
        }
        places = {(key.namespace, key.name) for key in keys}
        problems = []
        for namespace, name in sorted(output.folders.keys() - places):
            named = kind_of(output, namespace, name)
            kind = self.kinds.get(named or "")
            if named is None:
                continue  # a folder of people
            if kind is None:
                problems.append(unknown_kind(output, namespace, name))
            else:
                keys[WorkloadKey(namespace, kind.kind, name)] = kind
        return keys, tuple(problems)

    @property
    def _ignored(self) -> bool:
        return self.pipeline.others is Others.IGNORE

    def _aside(
        self, world: World, drafts: list[tuple[Place, Written]], quiet: Mapping[str, str]
    ) -> tuple[dict[str, bytes | None], tuple[Problem, ...]]:
        """Give what changes beside the workloads, for the folders that stand after this pass."""
        states = {draft.key: None if draft.plan.remove else draft.state for _, draft in drafts}
        halves = {half: folders_after(world, half, states, quiet) for half in HALVES}
        replaced = replaced_routes(world, states)
        held = bool(world.wanted.held) or world.source.unreadable
        return aside_changes(world.aside, world.output, After(halves, replaced, held))


def _follows(repository: Repository, old: str, new: str) -> bool:
    return repository.has(old) and repository.is_ancestor(old, new)
