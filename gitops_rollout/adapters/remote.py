"""Where a repository is, how it lets us in, and what its refusals mean.

A URL is a path, `file://`, `http(s)://`, `ssh://` or `user@host:path`. It never carries a secret:
those are read at use from a file or an environment variable that the settings name.
"""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from gitops_rollout.adapters.porcelain import server_words
from gitops_rollout.adapters.secrets import Secret
from gitops_rollout.errors import BadSettings, CredentialsRefused, RemoteUnavailable, RolloutError

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_HOST = r"(?:[A-Za-z0-9_][\w.-]*|\[[0-9A-Fa-f:.]+\])"
_SCP = re.compile(rf"(?:[\w.+][\w.+-]*@)?{_HOST}:[^:@][^@]*")
_AUTHORITY = re.compile(rf"(?:[\w.+][\w.+-]*@)?{_HOST}(?::\d+)?")
_HELPER = re.compile(r"[^/\[]*::")  # `ext::`: a program that speaks for the remote
_SCHEMES = ("file", "http", "https", "ssh")
_PLAIN_PATH = re.compile(r"[\w./+@,=-]+")

# git says only in words why a server did not let us in (LC_ALL=C). All else is a server that cannot
# be reached, or answers nonsense.
_REFUSALS = (
    "Authentication failed",
    "could not read Username",
    "could not read Password",
    "requested URL returned error: 401",
    "requested URL returned error: 403",
    "Permission denied (",
    "Host key verification failed",
    "Too many authentication failures",
    "Access denied",
    "denied to",
    "marked as read only",
    "dubious ownership",
)
_REFUSED = re.compile("|".join(map(re.escape, _REFUSALS)))
_USERINFO = re.compile(r"//[^/\s'\"]*@")
_BEFORE_AT = re.compile(r"^.*@", re.DOTALL)  # of a URL that may be malformed: all of it could be a secret


@dataclass(frozen=True, slots=True)
class HttpCredentials:
    """User name and password (or token) for HTTP Basic, read anew for every command."""

    password: Secret
    username: str = "git"
    """Servers that take tokens mostly ignore it."""

    def __post_init__(self) -> None:
        if not self.username or not self.username.isprintable() or ":" in self.username:
            raise BadSettings("a user name is printable and has no colon")


@dataclass(frozen=True, slots=True)
class SshCredentials:
    """The hosts that are trusted, and the key; without a key those of the SSH agent are offered."""

    known_hosts: Path
    key: Path | None = None


@dataclass(frozen=True, slots=True)
class Remote:
    """One repository on a server.

    Raises BadSettings for a URL that looks like an option, holds a secret or control characters, or
    names a protocol that is not ours; the message never repeats what stands before an `@`.
    """

    url: str
    credentials: HttpCredentials | SshCredentials | None = None
    timeout_seconds: float = 60.0

    def __post_init__(self) -> None:
        protocol = self.protocol
        if self.timeout_seconds <= 0:
            raise BadSettings(f"{self}: a time limit is more than nothing")
        kinds = {"http": HttpCredentials, "https": HttpCredentials, "ssh": SshCredentials}
        if self.credentials is not None and not isinstance(self.credentials, kinds.get(protocol, ())):
            raise BadSettings(f"{self} takes no such credentials: they are for another protocol")
        if isinstance(self.credentials, SshCredentials):
            for path in filter(None, (self.credentials.known_hosts, self.credentials.key)):
                if not path.is_absolute() or not _PLAIN_PATH.fullmatch(str(path)):
                    raise BadSettings(f"{path}: SSH files need an absolute path of plain characters")

    def __str__(self) -> str:
        return _CONTROL.sub("?", _BEFORE_AT.sub("…@", self.url))

    @property
    def protocol(self) -> str:
        """Say how the repository is reached: file, http, https or ssh."""
        shown = str(self)
        if not self.url or self.url.startswith("-") or _CONTROL.search(self.url) or _HELPER.match(self.url):
            raise BadSettings(f"not a repository URL: {shown}")
        scheme, separator, rest = self.url.partition("://")
        if separator:
            return _checked_scheme(scheme, rest, shown)
        if ":" in self.url.split("/")[0]:
            if not _SCP.fullmatch(self.url):
                raise BadSettings(f"not a repository URL (SSH is written user@host:path): {shown}")
            return "ssh"
        return "file"

    @property
    def address(self) -> str:
        """Give what git is told: the URL, or a path made absolute."""
        return self.url if "://" in self.url or self.protocol == "ssh" else str(Path(self.url).absolute())

    @property
    def origin(self) -> str:
        """Give scheme, host and port: the only place where a password may go."""
        return "{0.scheme}://{0.netloc}".format(urlsplit(self.url))

    def environment(self, askpass: Path) -> Mapping[str, str]:
        """Give the variables with which git reaches this repository, and nothing else."""
        allowed = {"GIT_ALLOW_PROTOCOL": self.protocol, "GIT_ASKPASS": str(askpass)}
        match self.credentials:
            case HttpCredentials(password, username):
                return allowed | {
                    "GITOPS_ROLLOUT_ORIGIN": self.origin,
                    "GITOPS_ROLLOUT_USERNAME": username,
                    "GITOPS_ROLLOUT_PASSWORD": password.read(),
                }
            case SshCredentials() | None:
                return allowed | {"GIT_SSH_VARIANT": "ssh", "GIT_SSH_COMMAND": self._ssh()}

    def refusal(self, complaint: str) -> RolloutError:
        """Give the error that git's complaint about this remote means."""
        said = self.clean(f"{_verdict_line(complaint)} {server_words(complaint)}")
        if _REFUSED.search(complaint):
            return CredentialsRefused(f"{self} does not let us in: {said}")
        return RemoteUnavailable(f"{self} cannot be used: {said}")

    def clean(self, words: str, most: int = 300) -> str:
        """Make a server's words fit for a message: one line, not long, without secrets."""
        if isinstance(self.credentials, HttpCredentials):
            words = words.replace(self.credentials.password.read(), "***")
        line = " ".join(_CONTROL.sub(" ", _USERINFO.sub("//", words)).split())
        return line if len(line) <= most else line[: most - 1] + "…"

    def _ssh(self) -> str:
        options = ["BatchMode=yes", "StrictHostKeyChecking=yes"]
        if isinstance(self.credentials, SshCredentials):
            options += [
                f"UserKnownHostsFile={self.credentials.known_hosts}",
                "GlobalKnownHostsFile=/dev/null",
            ]
            if self.credentials.key:
                options += ["IdentitiesOnly=yes", f"IdentityFile={self.credentials.key}"]
        return shlex.join(["ssh", "-F", "/dev/null", *(w for option in options for w in ("-o", option))])


def _checked_scheme(scheme: str, rest: str, shown: str) -> str:
    if scheme not in _SCHEMES:
        raise BadSettings(f"{shown}: the protocol is none of {', '.join(_SCHEMES)}")
    authority = rest.partition("/")[0]
    userinfo = authority.rpartition("@")[0]
    if ":" in userinfo or (userinfo and scheme != "ssh"):
        raise BadSettings(f"{shown}: credentials do not belong into a URL; name a file or a variable")
    if (scheme == "file") == bool(authority) or (authority and not _AUTHORITY.fullmatch(authority)):
        raise BadSettings(f"{shown}: not a host")
    return scheme


def _verdict_line(complaint: str) -> str:
    lines = [line for line in complaint.splitlines() if line.strip()]
    refusing = [line for line in lines if _REFUSED.search(line)]
    fatal = [line for line in lines if line.startswith(("fatal:", "error:"))]
    return (refusing or fatal or lines or ["git said nothing"])[0]
