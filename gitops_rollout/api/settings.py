"""What an installation is told: one frozen Settings. How people write it: api/settings_document.py."""

from dataclasses import dataclass
from enum import StrEnum


class Others(StrEnum):
    """What happens to the objects beside the workloads."""

    PUBLISH = "Publish"
    IGNORE = "Ignore"


class Kthena(StrEnum):
    """Which Kthena controller runs: one with semantic revisions (#1799), or one without."""

    SEMANTIC = "semantic"
    MAIN = "main"


@dataclass(frozen=True, slots=True)
class Secret:
    """Where a secret is read, at each use: a file or an environment variable, exactly one of them."""

    file: str | None = None
    env: str | None = None


@dataclass(frozen=True, slots=True)
class Credentials:
    """How to sign in at one remote: a name and a password or token, or an SSH key and pinned hosts."""

    username: Secret | None = None
    password: Secret | None = None
    ssh_key_file: str | None = None
    known_hosts_file: str | None = None


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """Where people write; `paths` are normal, none inside another, "" is the whole repository."""

    url: str
    branch: str = "main"
    paths: tuple[str, ...] = ("specs",)
    credentials: Credentials | None = None


@dataclass(frozen=True, slots=True)
class OutputSettings:
    """Where we write: everything stands below `root`."""

    url: str
    branch: str = "main"
    root: str = "rollouts"
    credentials: Credentials | None = None


@dataclass(frozen=True, slots=True)
class Pipeline:
    """One source, one output, and what holds for the workloads between them."""

    name: str
    source: SourceSettings
    output: OutputSettings
    default_namespace: str = "default"
    default_policy: str | None = None
    others: Others = Others.PUBLISH
    secrets: bool = False
    """Whether plain Secrets of the source are published like other objects."""
    kthena: Kthena = Kthena.SEMANTIC
    confirm_deletion: tuple[str, ...] = ()
    """Workloads whose deletion goes on although so many vanish at once (R6), as `ms/chat -n serving`."""


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """What a source may ask of us; the names stand in the messages (`limits.nodes`)."""

    file_bytes: int = 4 * 2**20
    depth: int = 64
    nodes: int = 200_000
    documents: int = 1_000


@dataclass(frozen=True, slots=True)
class Identity:
    """Author and committer of everything that we write."""

    name: str = "gitops-rollout"
    mail: str = "gitops-rollout@localhost"


@dataclass(frozen=True, slots=True)
class Settings:
    """One settings file; durations are seconds."""

    pipelines: tuple[Pipeline, ...]
    identity: Identity = Identity()
    interval: int = 30
    jitter: int = 5
    cache: str | None = None
    """Folder for clones and other disposable things; None: the user's cache folder."""
    limits: ReadingLimits = ReadingLimits()
    kustomize: str | None = None
    """The binary that builds kustomizations, kustomize or kubectl; None: the first one on PATH."""
    timeout: int = 60
