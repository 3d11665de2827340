"""Which pipeline a command speaks of: a settings file, or two URLs on the command line."""

import functools
import inspect
import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from gitops_rollout.api.settings import Pipeline, Settings
from gitops_rollout.api.settings_document import read_settings, settings_from_urls
from gitops_rollout.api.values import Object
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.desired import key_of
from gitops_rollout.documents.load import Limits, load
from gitops_rollout.documents.unreadable import Unreadable
from gitops_rollout.errors import BadSettings
from gitops_rollout.wiring import chosen

DEFAULT = Path("gitops-rollout.yaml")

Config = Annotated[
    Path | None, typer.Option("--config", "-c", help="Settings file [default: gitops-rollout.yaml, if there]")
]
Named = Annotated[str | None, typer.Option("--pipeline", "-p", help="Which pipeline of the settings")]
Source = Annotated[str | None, typer.Option("--source", help="URL or path of the spec repository")]
SourceBranch = Annotated[str, typer.Option("--source-branch", help="Branch of the spec repository")]
Paths = Annotated[
    list[str] | None, typer.Option("--path", help="Folder with specs; may be repeated [default: specs]")
]
OutputUrl = Annotated[str | None, typer.Option("--output", help="URL or path of the output repository")]
OutputBranch = Annotated[str, typer.Option("--output-branch", help="Branch that Argo CD or Flux applies")]
Cache = Annotated[Path | None, typer.Option("--cache", help="Folder for clones and other disposable things")]


class Form(StrEnum):
    """How an answer is printed."""

    TEXT = "text"
    JSON = "json"


Output = Annotated[Form, typer.Option("-o", help="text or json")]
Workload = Annotated[str, typer.Argument(help="ms/chat, ModelServing/chat")]
Namespace = Annotated[str | None, typer.Option("-n", "--namespace", help="Its namespace")]


def load_settings(config: Path | None) -> Settings:
    """Read the settings file; BadSettings names the file and each wrong path in it."""
    path = config or DEFAULT
    try:
        documents = load(path.read_bytes(), Limits())
    except OSError as error:
        where = f"{path}: {error.strerror}"
        raise BadSettings(f"{where}; name one with --config, or give --source and --output") from None
    except Unreadable as error:
        raise BadSettings(f"{path}: {error.problem.message}") from None
    if len(documents) != 1:
        raise BadSettings(f"{path}: one document with settings is expected, found {len(documents)}")
    try:
        return read_settings(documents[0].value)
    except BadSettings as error:
        raise BadSettings("\n".join(f"{path}: {line}" for line in str(error).splitlines())) from None


@dataclass(frozen=True, slots=True)
class Where:
    """The settings and the pipeline that a command speaks of.

    `options` are what names them again, for a command that is told to people: empty, or with a
    space before it.
    """

    settings: Settings
    pipeline: Pipeline
    options: str = ""


@dataclass(frozen=True, slots=True)
class Told:
    """The options that name a pipeline, as they stand on the command line."""

    config: Config = None
    pipeline: Named = None
    source: Source = None
    source_branch: SourceBranch = "main"
    path: Paths = None
    output: OutputUrl = None
    output_branch: OutputBranch = "main"
    cache: Cache = None


def somewhere(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that name a pipeline; it gets a `Where` as its first argument.

    The options stand at the command and not before it, as people type them:
    `gitops-rollout once --source … --output …`.
    """
    shared = inspect.signature(Told).parameters
    own = list(inspect.signature(command).parameters.values())[1:]

    @functools.wraps(command)
    def run(**told: object) -> None:
        mine = {name: told.pop(name) for name in shared}
        command(_meant(Told(**mine)), **told)  # type: ignore[arg-type]

    parameters = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in (*own, *shared.values())]
    vars(run)["__signature__"] = inspect.Signature(parameters)
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    return run


@dataclass(frozen=True, slots=True)
class Aim:
    """The workload that a command speaks of, and where."""

    where: Where
    key: WorkloadKey


def aimed(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command a workload (`ms/chat -n serving`) and the options that name a pipeline: one `Aim`."""

    def at(where: Where, workload: Workload, namespace: Namespace = None, **told: object) -> None:
        command(Aim(where, workload_key(workload, namespace, where.pipeline)), **told)

    front = list(inspect.signature(at).parameters.values())[:3]
    own = list(inspect.signature(command).parameters.values())[1:]
    functools.update_wrapper(at, command)
    vars(at)["__signature__"] = inspect.Signature(
        [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in (*front, *own)]
    )
    return somewhere(at)


def _meant(told: Told) -> Where:
    settings = _from_urls(told) or load_settings(told.config)
    if told.cache is not None:
        settings = replace(settings, cache=str(told.cache))
    return Where(settings, chosen(settings, told.pipeline), _again(told))


def _again(told: Told) -> str:
    """Give the options with which the same pipeline is named again."""
    branch, output_branch = told.source_branch, told.output_branch
    given = [
        ("--config", str(told.config) if told.config else None),
        ("--pipeline", told.pipeline),
        ("--source", told.source),
        ("--source-branch", branch if branch != "main" else None),
        *(("--path", path) for path in told.path or ()),
        ("--output", told.output),
        ("--output-branch", output_branch if output_branch != "main" else None),
    ]
    return "".join(f" {name} {shlex.quote(value)}" for name, value in given if value is not None)


def _from_urls(told: Told) -> Settings | None:
    """Give the settings that URLs on the command line mean, None when there are none."""
    if told.source is None and told.output is None:
        return None
    if told.source is None or told.output is None:
        raise BadSettings("--source and --output belong together: give both, or a settings file")
    pipeline: Object = {
        "name": "default",
        "source": {"branch": told.source_branch, **({"paths": [*told.path]} if told.path else {})},
        "output": {"branch": told.output_branch},
    }
    return settings_from_urls(absolute(told.source), absolute(told.output), pipeline)


def absolute(url: str) -> str:
    """Make a local path absolute, so that one place has one spelling."""
    local = "://" not in url and ":" not in url.partition("/")[0] and not url.startswith("-")
    return str(Path(url).absolute()) if local else url


def workload_key(words: str, namespace: str | None, pipeline: Pipeline) -> WorkloadKey:
    """Read which workload is meant; BadSettings says how to write it."""
    key = key_of(words, namespace or pipeline.default_namespace)
    if key is None:
        raise BadSettings(f"{words!r} names no workload; write it as ms/chat -n serving")
    return key
