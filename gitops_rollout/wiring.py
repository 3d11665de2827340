"""From settings to a pass: which adapter stands behind which port. Nothing else knows both sides."""

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from gitops_rollout.adapters.fast_import import Identity
from gitops_rollout.adapters.git import open_repository
from gitops_rollout.adapters.kept import KeptCache
from gitops_rollout.adapters.preview import Preview
from gitops_rollout.adapters.remote import HttpCredentials, Remote, SshCredentials
from gitops_rollout.adapters.secrets import Secret
from gitops_rollout.api.places import same_repository
from gitops_rollout.api.policy_merge import Origin
from gitops_rollout.api.settings import Credentials, Kthena, Others, Pipeline, Settings
from gitops_rollout.api.settings import Secret as SecretPlace
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.documents.load import Limits
from gitops_rollout.errors import BadSettings
from gitops_rollout.kinds.modelserving.kind import ModelServingKind
from gitops_rollout.kinds.protocol import Kind
from gitops_rollout.kinds.registry import KINDS
from gitops_rollout.memory import Memory, read_memory, settings_print, write_memory
from gitops_rollout.ports import Repository
from gitops_rollout.reconcile import Reconciler
from gitops_rollout.report import Report
from gitops_rollout.rollout.draft import Order
from gitops_rollout.source.build import Builder, find_binary
from gitops_rollout.source.identify import Terms
from gitops_rollout.source.kustomization import NotBuilt
from gitops_rollout.source.reader import Reader
from gitops_rollout.source.readings import Readings

Orders = Mapping[WorkloadKey, Order]


@dataclass(frozen=True, slots=True)
class Opened:
    """One pipeline with its repositories open."""

    settings: Settings
    pipeline: Pipeline
    source: Repository
    output: Repository
    reader: Reader
    kinds: Mapping[str, Kind]
    memory: Path

    def once(self, now: datetime, orders: Orders | None = None) -> Report:
        """Do one pass, and remember it when there was nothing left to do."""
        told = settings_print(self.settings, self.pipeline, self._builder)
        reconciler = self._reconciler(self.output, orders or {}, read_memory(self.memory, told))
        report = reconciler.reconcile(now)
        if not report.idle:
            # The heads that were read, and no later ones: what came meanwhile nobody has looked at.
            heads = report.heads if report.lasting else ""
            at = (report.source, report.output or "")
            kept = Memory(heads, now, report.wake, report.refused, source=at[0], output=at[1])
            write_memory(self.memory, told, kept, report.quiet)
        return report

    def preview(self, now: datetime, orders: Orders | None = None) -> Report:
        """Say what the next pass would do: the same pass, over a repository that publishes nothing."""
        # What was quiet is shown, too; what was seen last still warns of a branch that was rewound.
        kept = read_memory(self.memory, settings_print(self.settings, self.pipeline, self._builder))
        seen = Memory(source=kept.source, output=kept.output)
        return self._reconciler(Preview(self.output), orders or {}, seen).reconcile(now)

    def explained(self) -> dict[WorkloadKey, tuple[Origin, ...]]:
        """Say for each workload where every value of its policy comes from."""
        ref = f"refs/heads/{self.pipeline.source.branch}"
        refs = self.source.refs(ref)
        self.source.fetch(refs)
        source = self.reader.read(refs[ref]) if refs else None
        keys = sorted(source.specs) if source else []
        return {key: source.policy(key, self.pipeline.default_policy).origins for key in keys if source}

    @property
    def us(self) -> str:
        """Give the committer that we write as."""
        return str(_identity(self.settings))

    @property
    def _builder(self) -> str:
        builder = self.reader.readings.builder
        try:
            return builder.version if builder else ""
        except NotBuilt:
            return ""

    def _reconciler(self, output: Repository, orders: Orders, memory: Memory) -> Reconciler:
        return Reconciler(
            self.pipeline, self.source, output, self.kinds, self.reader.read, self.us, orders, memory
        )


@contextmanager
def opened(settings: Settings, pipeline: Pipeline) -> Iterator[Opened]:
    """Open the repositories of a pipeline; they are closed whatever happens.

    Raises BadSettings for one branch as source and as output, however its path is spelled.
    """
    ours, theirs = pipeline.output, pipeline.source
    if ours.branch == theirs.branch and same_repository(_resolved(ours.url), _resolved(theirs.url)):
        raise BadSettings(
            "output.branch: source and output are the same branch; name another branch for the output"
        )
    folder = cache_folder(settings) / _slug(pipeline)
    identity = _identity(settings)
    with ExitStack() as stack:
        source = stack.enter_context(
            closing(open_repository(_remote(settings, pipeline, "source"), folder / "source.git", identity))
        )
        output = stack.enter_context(
            closing(open_repository(_remote(settings, pipeline, "output"), folder / "output.git", identity))
        )
        cache = stack.enter_context(closing(KeptCache(folder / "read.sqlite")))
        kinds = {kind.kind: kind for kind in known_kinds(pipeline).values()}
        reader = make_reader(settings, pipeline, source, cache)
        yield Opened(settings, pipeline, source, output, reader, kinds, folder / "memory.json")


def make_reader(settings: Settings, pipeline: Pipeline, source: Repository, cache: KeptCache) -> Reader:
    """Give the reader of a pipeline's source."""
    binary = find_binary(settings.kustomize)
    limits = settings.limits
    readings = Readings(
        source,
        Terms(known_kinds(pipeline), pipeline.default_namespace, pipeline.secrets),
        cache,
        Limits(limits.file_bytes, limits.depth, limits.nodes, limits.documents),
        Builder(binary, settings.timeout, limits.file_bytes) if binary else None,
    )
    return Reader(readings, pipeline.source.paths, pipeline.others is Others.PUBLISH)


def known_kinds(pipeline: Pipeline) -> Mapping[tuple[str, str], Kind]:
    """Give the kinds under a pipeline's choices."""
    serving = ModelServingKind("main" if pipeline.kthena is Kthena.MAIN else "semantic")
    return {**KINDS, next(name for name, kind in KINDS.items() if kind.kind == serving.kind): serving}


def chosen(settings: Settings, name: str | None) -> Pipeline:
    """Give the pipeline of this name, or the only one."""
    if name is None and len(settings.pipelines) == 1:
        return settings.pipelines[0]
    found = [one for one in settings.pipelines if one.name == name]
    if not found:
        names = ", ".join(one.name for one in settings.pipelines)
        raise BadSettings(f"--pipeline: name one of {names}")
    return found[0]


def cache_folder(settings: Settings) -> Path:
    """Give the folder for clones and other disposable things."""
    if settings.cache:
        return Path(settings.cache)
    base = os.environ.get("XDG_CACHE_HOME") or (Path(os.environ.get("HOME", "/tmp")) / ".cache")  # noqa: S108
    return Path(base) / "gitops-rollout"


def _resolved(url: str) -> str:
    """Give a path of this machine without links and detours, any other URL as it is."""
    remote = Remote(url)
    return str(Path(remote.address.removeprefix("file://")).resolve()) if remote.protocol == "file" else url


def _slug(pipeline: Pipeline) -> str:
    """Name a pipeline's folder; two installations with other repositories never share one."""
    told = f"{pipeline.source.url}\n{pipeline.output.url}\n{pipeline.output.branch}"
    return f"{pipeline.name}-{hashlib.sha256(told.encode()).hexdigest()[:10]}"


def _identity(settings: Settings) -> Identity:
    return Identity(settings.identity.name, settings.identity.mail)


def _remote(settings: Settings, pipeline: Pipeline, side: str) -> Remote:
    place = pipeline.source if side == "source" else pipeline.output
    bare = Remote(place.url, timeout_seconds=settings.timeout)
    return replace(bare, credentials=_credentials(place.credentials, bare.protocol))


def _credentials(told: Credentials | None, protocol: str) -> HttpCredentials | SshCredentials | None:
    if told is None:
        return None
    if protocol == "ssh":
        if told.known_hosts_file is None:
            raise BadSettings("credentials: SSH needs a knownHostsFile that pins the server's key")
        key = Path(told.ssh_key_file) if told.ssh_key_file else None
        return SshCredentials(Path(told.known_hosts_file), key)
    if told.password is None:
        raise BadSettings("credentials: name a passwordFile or passwordEnv for HTTP")
    username = _place(told.username).read() if told.username else "git"
    return HttpCredentials(_place(told.password), username)


def _place(secret: SecretPlace) -> Secret:
    return Secret(Path(secret.file) if secret.file else None, secret.env)
