"""The commands that talk to a remote, each with its failures as errors of ours."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gitops_rollout.adapters import porcelain
from gitops_rollout.adapters.command import Finished, GitCommand
from gitops_rollout.adapters.names import matching
from gitops_rollout.adapters.remote import Remote
from gitops_rollout.errors import BadSettings, RemoteUnavailable
from gitops_rollout.ports import RefUpdate

_NOT_ATOMIC = "does not support --atomic"


@dataclass(frozen=True, slots=True)
class Transport:
    """One remote, and the clone between which and it objects go.

    Raises CredentialsRefused when the remote does not let us in, RemoteUnavailable when it does not
    answer, not in time, or not to the end.
    """

    remote: Remote
    git_dir: str
    askpass: Path

    def refs(self, *patterns: str) -> dict[str, str]:
        """Ask which refs match, full name → commit."""
        # Without the clone: what is wrong with it must not look like a fault of the remote.
        listed = self._ask(os.devnull, "ls-remote", "--", self.remote.address, *patterns)
        if listed.status:
            raise self.remote.refusal(listed.complaint)
        found = matching(listed.output.decode("utf-8", "surrogateescape"), patterns)
        if any(len(oid) != 40 for oid in found.values()):
            raise BadSettings(f"{self.remote} names objects by SHA-256, which is not supported")
        return found

    def fetch(self, refspecs: Sequence[str]) -> bool:
        """Fetch into the clone; False when not all could be had, be it the remote's fault or the clone's."""
        options = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--stdin")
        wanted = "".join(f"{refspec}\n" for refspec in refspecs).encode()
        fetched = self._ask(self.git_dir, "fetch", *options, "--", self.remote.address, stdin=wanted)
        if fetched.status == 0:
            return True
        error = self.remote.refusal(fetched.complaint)
        if not isinstance(error, RemoteUnavailable):
            raise error
        return False

    def push(self, updates: Sequence[RefUpdate]) -> None:
        """Move all the refs or none, each under a lease; a server that cannot do that gets them one by one.

        Raises also PushRejected and BranchProtected.
        """
        # The lease makes git skip its own fast-forward check: callers check before they push.
        leases = [f"--force-with-lease={update.ref}:{update.old or ''}" for update in updates]
        refspecs = [f"{update.new or ''}:{update.ref}" for update in updates]
        atomic = ["--atomic"] if len(updates) > 1 else []
        options = ("--porcelain", "--no-verify", "--no-follow-tags", "--no-recurse-submodules", "--no-signed")
        arguments = (*options, *atomic, *leases, "--", self.remote.address, *refspecs)
        pushed = self._ask(self.git_dir, "push", *arguments)
        if pushed.status == 0:
            return
        if atomic and _NOT_ATOMIC in pushed.complaint:
            for update in updates:
                self.push([update])
            return
        words = self.remote.clean(porcelain.server_words(pushed.complaint))
        refused = porcelain.refusal(pushed.output.decode(errors="replace"), words)
        raise refused or self.remote.refusal(pushed.complaint)

    def _ask(self, git_dir: str, *arguments: str, stdin: bytes = b"") -> Finished:
        command = GitCommand(git_dir, self.remote.timeout_seconds, self.remote.environment(self.askpass))
        try:
            return command.run(*arguments, stdin=stdin)
        except TimeoutError as error:
            raise RemoteUnavailable(f"{self.remote} does not answer in time: {error}") from None
