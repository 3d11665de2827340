"""The settings file as people write it. Everything that is wrong is one BadSettings, each with its path."""

import re
from itertools import combinations
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)
from pydantic.alias_generators import to_camel

from gitops_rollout.api.duration import seconds
from gitops_rollout.api.places import branch, folder, name, overlapping, same_repository, url
from gitops_rollout.api.problems import Problem
from gitops_rollout.api.settings import (
    Credentials,
    Identity,
    Kthena,
    Others,
    OutputSettings,
    Pipeline,
    ReadingLimits,
    Secret,
    Settings,
    SourceSettings,
)
from gitops_rollout.api.validation import invalid
from gitops_rollout.api.values import Json, Object, mapping
from gitops_rollout.errors import BadSettings

NOT_BUILT = ("after", "cluster", "forge", "format", "promoter")


def _duration(value: object) -> int:
    if not isinstance(value, str):
        raise ValueError("write a duration with its unit, such as 30s or 5m")
    return seconds(value)


def _paths(value: list[str]) -> tuple[str, ...]:
    """Leave out each folder that another one holds."""
    folders = sorted({folder(path) for path in value}, key=len)
    if not folders:
        raise ValueError("name at least one folder; . is the whole repository")
    kept = (one for i, one in enumerate(folders) if not any(overlapping(one, other) for other in folders[:i]))
    return tuple(sorted(kept))


def _root(value: str) -> str:
    if not folder(value):
        raise ValueError("the output needs a folder of its own, such as rollouts")
    return folder(value)


def _line(value: str) -> str:
    if not value.strip() or re.search(r"[\x00-\x1f\x7f<>]", value):
        raise ValueError("one line without < and >")
    return value.strip()


Duration = Annotated[int, BeforeValidator(_duration)]
Url = Annotated[str, AfterValidator(url)]
Branch = Annotated[str, AfterValidator(branch)]
Name = Annotated[str, AfterValidator(name)]
Line = Annotated[str, AfterValidator(_line)]
Text = Annotated[str, Field(min_length=1)]
Number = Annotated[int, Field(ge=1)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, alias_generator=to_camel)


class CredentialsModel(_Model):
    """Places of secrets at one remote, never secrets."""

    username_file: Text | None = None
    username_env: Text | None = None
    password_file: Text | None = None
    password_env: Text | None = None
    ssh_key_file: Text | None = None
    known_hosts_file: Text | None = None

    @model_validator(mode="after")
    def _consistent(self) -> "CredentialsModel":
        if (self.username_file and self.username_env) or (self.password_file and self.password_env):
            raise ValueError("a secret comes from a file or from an environment variable, not from both")
        if self.ssh_key_file and not self.known_hosts_file:
            raise ValueError("sshKeyFile needs knownHostsFile: hosts are pinned")
        return self


class CredentialsPairModel(_Model):
    """Credentials of both sides."""

    source: CredentialsModel | None = None
    output: CredentialsModel | None = None


class SourceModel(_Model):
    """Where people write."""

    url: Url
    branch: Branch = "main"
    paths: Annotated[list[str], AfterValidator(_paths)] = Field(default=["specs"], validate_default=True)


class OutputModel(_Model):
    """Where we write."""

    url: Url
    branch: Branch = "main"
    root: Annotated[str, AfterValidator(_root)] = "rollouts"


class PipelineModel(_Model):
    """One pipeline."""

    name: Name = "default"
    source: SourceModel
    output: OutputModel
    credentials: CredentialsPairModel = CredentialsPairModel()
    default_namespace: Name = "default"
    default_policy: Text | None = None
    others: Literal["Publish", "Ignore"] = "Publish"
    secrets: bool = False
    kthena: Literal["semantic", "main"] = "semantic"
    confirm_deletion: list[Text] = []

    @model_validator(mode="after")
    def _two_branches(self) -> "PipelineModel":
        same = self.source.branch == self.output.branch and same_repository(self.source.url, self.output.url)
        if same:
            raise ValueError(
                "source and output are one branch of one repository; give the output its own branch"
            )
        return self


class LimitsModel(_Model):
    """What a source may ask of us."""

    file_bytes: Number = ReadingLimits().file_bytes
    depth: Number = ReadingLimits().depth
    nodes: Number = ReadingLimits().nodes
    documents: Number = ReadingLimits().documents


class IdentityModel(_Model):
    """Author and committer."""

    name: Line = Identity().name
    mail: Line = Identity().mail


class SettingsModel(_Model):
    """The settings file."""

    pipelines: Annotated[list[PipelineModel], Field(min_length=1)]
    identity: IdentityModel = IdentityModel()
    interval: Duration = 30
    jitter: Duration = 5
    cache: Text | None = None
    limits: LimitsModel = LimitsModel()
    kustomize: Text | None = None
    timeout: Duration = 60

    @model_validator(mode="after")
    def _consistent(self) -> "SettingsModel":
        if self.interval < 1 or self.timeout < 1:
            raise ValueError("interval and timeout are at least 1s")
        names = [pipeline.name for pipeline in self.pipelines]
        if len(set(names)) < len(names):
            raise ValueError("pipelines have names of their own")
        if any(_one_output(one, other) for one, other in combinations(self.pipelines, 2)):
            raise ValueError("two pipelines write into one folder of one branch; give each its own root")
        return self


def read_settings(value: Json) -> Settings:
    """Check the settings file's one document; BadSettings names each wrong path in it."""
    try:
        model = SettingsModel.model_validate(value)
    except ValidationError as error:
        problems = invalid(SettingsModel, error, "SETTINGS")
        raise BadSettings("\n".join(_said(problem) for problem in problems)) from None
    return Settings(
        pipelines=tuple(map(_pipeline, model.pipelines)),
        identity=Identity(model.identity.name, model.identity.mail),
        interval=model.interval,
        jitter=model.jitter,
        cache=model.cache,
        limits=ReadingLimits(**model.limits.model_dump()),
        kustomize=model.kustomize,
        timeout=model.timeout,
    )


def settings_from_urls(source: str, output: str, pipeline: "Object | None" = None) -> Settings:
    """Give the settings of one pipeline from a command line; `pipeline` adds to it as in the file."""
    rest = pipeline or {}
    return read_settings({"pipelines": [{**rest, **_with_urls(rest, source, output)}]})


def _with_urls(pipeline: Object, source: str, output: str) -> Object:
    return {
        "source": {**mapping(pipeline.get("source")), "url": source},
        "output": {**mapping(pipeline.get("output")), "url": output},
    }


def _said(problem: Problem) -> str:
    name = problem.path.rpartition(".")[2]
    if problem.code == "UNKNOWN_FIELD" and name in NOT_BUILT:
        return f"{problem.path}: {name} is not built yet; leave it out"
    return f"{problem.path}: {problem.message}" if problem.path else problem.message


def _one_output(one: PipelineModel, other: PipelineModel) -> bool:
    return (
        one.output.branch == other.output.branch
        and same_repository(one.output.url, other.output.url)
        and overlapping(one.output.root, other.output.root)
    )


def _pipeline(model: PipelineModel) -> Pipeline:
    source, output = model.source, model.output
    return Pipeline(
        name=model.name,
        source=SourceSettings(
            source.url, source.branch, tuple(source.paths), _credentials(model.credentials.source)
        ),
        output=OutputSettings(output.url, output.branch, output.root, _credentials(model.credentials.output)),
        default_namespace=model.default_namespace,
        default_policy=model.default_policy,
        others=Others(model.others),
        secrets=model.secrets,
        kthena=Kthena(model.kthena),
        confirm_deletion=tuple(model.confirm_deletion),
    )


def _credentials(model: CredentialsModel | None) -> Credentials | None:
    if model is None:
        return None
    return Credentials(
        username=_secret(model.username_file, model.username_env),
        password=_secret(model.password_file, model.password_env),
        ssh_key_file=model.ssh_key_file,
        known_hosts_file=model.known_hosts_file,
    )


def _secret(file: str | None, env: str | None) -> Secret | None:
    return Secret(file, env) if file or env else None
