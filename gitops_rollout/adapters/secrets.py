"""Secrets that stay where they are: read at use, handed to git through ASKPASS, never repeated.

The ASKPASS program answers one origin only: a server that redirects us elsewhere learns nothing.
The secret travels in the environment of the git commands that talk to a server, readable by nobody
but the user that could read its file; it is in no argv, no configuration, no URL and no message.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from gitops_rollout.errors import BadSettings, CredentialsRefused

_ASKPASS = r"""#!/bin/sh
# git asks "Username for 'https://host': " and "Password for 'https://user@host': ".
scheme=${GITOPS_ROLLOUT_ORIGIN%%://*}
host=${GITOPS_ROLLOUT_ORIGIN#*://}
case "$1" in
"Username for '$scheme://$host': ") printf '%s\n' "$GITOPS_ROLLOUT_USERNAME" ;;
"Password for '$scheme://"*"@$host': ") printf '%s\n' "$GITOPS_ROLLOUT_PASSWORD" ;;
*) exit 1 ;;
esac
"""


@dataclass(frozen=True, slots=True)
class Secret:
    """Where a secret is: in a file, or in an environment variable. Exactly one of both."""

    file: Path | None = None
    variable: str | None = None

    def __post_init__(self) -> None:
        if (self.file is None) == (self.variable is None):
            raise BadSettings("a secret is in a file or in an environment variable: name one of both")

    def read(self) -> str:
        """Read it now, without the newline at its end; raises CredentialsRefused when it is not there."""
        place = self.file if self.file is not None else f"${self.variable}"
        try:
            found = self.file.read_text(encoding="utf-8") if self.file else os.environ[self.variable or ""]
        except (OSError, UnicodeDecodeError, KeyError):
            raise CredentialsRefused(f"the secret in {place} cannot be read") from None
        secret = found.rstrip("\r\n")
        if not secret or not secret.isprintable():
            raise CredentialsRefused(f"the secret in {place} is empty or is not one printable line")
        return secret


def install_askpass(path: Path) -> None:
    """Put the ASKPASS program at `path`; it holds no secret."""
    if path.exists() and path.read_text(encoding="utf-8") == _ASKPASS and os.access(path, os.X_OK):
        return
    new = path.with_name(path.name + ".new")
    new.write_text(_ASKPASS, encoding="utf-8")
    new.chmod(0o700)
    new.replace(path)
