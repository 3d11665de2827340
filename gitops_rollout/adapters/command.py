"""The only place that runs git: fixed argv, never a shell, an environment built from nothing.

Of GitPython nothing but the command runner is used. It hands the whole environment of this process
to its children, so every command goes through `env -u`, which takes out each variable that is not
in `_KEPT`: no GIT_DIR, GIT_CONFIG_*, LD_PRELOAD or .netrc of the caller reaches git. Only names are
on that command line, values never are.
"""

import os
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import cast

from git.cmd import Git

# What reaching a server may need: where programs are, which certificates to trust, the way through
# a proxy, the agent that holds the SSH keys.
_KEPT = {
    "PATH", "SSH_AUTH_SOCK", "SSL_CERT_DIR", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH",
    "HTTPS_PROXY", "https_proxy", "http_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy",
}  # fmt: skip

_FIXED = {
    "HOME": "/dev/null",  # libcurl would read .netrc there
    "LC_ALL": "C",
    "LANGUAGE": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_ALLOW_PROTOCOL": "",
}

_OPTIONS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.fsync=none",  # the clone is disposable: what a power cut spoils is fetched again
    "credential.helper=",
    "protocol.ext.allow=never",
    "http.followRedirects=initial",
    "transfer.fsckObjects=true",
    # Old tools wrote these into many a history; they are harmless and cannot be mended.
    "fetch.fsck.zeroPaddedFilemode=ignore",
    "fetch.fsck.badTimezone=ignore",
    "fetch.fsck.missingSpaceBeforeDate=ignore",
    # What arrives or is written becomes one pack: it is there whole or not at all.
    "fetch.unpackLimit=1",
    "fastimport.unpackLimit=1",
    "fetch.writeCommitGraph=false",
    # Garbage is collected when we say so, and never behind our back.
    "gc.auto=0",
    "gc.autoDetach=false",
    "maintenance.auto=false",
)


_DYING_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Finished:
    """How a command ended: its exit status and all that it printed."""

    status: int
    output: bytes
    complaint: str
    """Standard error, as text."""


@dataclass(frozen=True, slots=True)
class GitCommand:
    """git, bound to a repository (GIT_DIR), an environment of its own and a time limit."""

    git_dir: str
    seconds: float
    environment: Mapping[str, str] = field(default_factory=dict)

    def run(self, *arguments: str, stdin: bytes = b"") -> Finished:
        """Run one command to its end.

        Raises TimeoutError when it takes longer than `seconds`; the command and everything that it
        started are gone by then.
        """
        process = self.start(*arguments)
        try:
            output, complaint = process.communicate(stdin, self.seconds)
        except subprocess.TimeoutExpired:
            _kill_group(process)
            # Its pipes close when the last of the group is gone.
            with suppress(subprocess.TimeoutExpired):
                process.communicate(timeout=_DYING_SECONDS)
            raise TimeoutError(f"git {arguments[0]} took longer than {self.seconds:g} seconds") from None
        finally:
            end(process)
        return Finished(process.returncode, output, complaint.decode(errors="replace"))

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start a command in a process group of its own; the caller ends it with `end`."""
        ours = _FIXED | _certificates() | {"GIT_DIR": self.git_dir} | dict(self.environment)
        unset = [word for name in os.environ if name not in _KEPT | ours.keys() for word in ("-u", name)]
        options = [word for option in _OPTIONS for word in ("-c", option)]
        command = ["env", *unset, "git", *options, *arguments]
        started = Git("/").execute(
            command, istream=subprocess.PIPE, as_process=True, shell=False, env=ours, start_new_session=True
        )
        process = cast("subprocess.Popen[bytes]", started.proc)
        started.proc = None  # from here on its end is ours to see to, not the garbage collector's
        return process


def end(process: "subprocess.Popen[bytes]") -> None:
    """Kill what is left of the command's process group and close its pipes."""
    if process.poll() is None:
        _kill_group(process)
        process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        # What was not written yet has no reader any more.
        with suppress(BrokenPipeError):
            if pipe is not None:
                pipe.close()


def _kill_group(process: "subprocess.Popen[bytes]") -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _certificates() -> dict[str, str]:
    # Not every build of git reads OpenSSL's own variable; its own one wins where both are set.
    bundle = os.environ.get("GIT_SSL_CAINFO") or os.environ.get("SSL_CERT_FILE")
    return {"GIT_SSL_CAINFO": bundle} if bundle else {}
