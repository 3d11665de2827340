"""What stops a pass, sorted by what happens next.

RolloutError
├── Terminal     retrying cannot help, somebody must act:
│                BadSettings, BranchProtected, CredentialsRefused, Refused
└── Transient    retrying is likely to help:
                 PushRejected, RemoteUnavailable, CloneBusy, CloneDamaged

A spec that cannot be read stops nothing but itself: it is a `Problem` (api/problems.py), not an error.
"""


class RolloutError(Exception):
    """The root of everything that is raised on purpose; `reason` is the name of the condition."""

    reason = "RolloutError"


class Terminal(RolloutError):
    """Trying again gives the same answer until somebody acts."""


class Transient(RolloutError):
    """Trying again later is likely to help."""


class BadSettings(Terminal):
    """The command line or the settings file asks for something that cannot be done (exit code 2)."""

    reason = "BadSettings"


class BranchProtected(Terminal):
    """The server takes no push of ours to this branch; no gate is opened until it does (R21)."""

    reason = "BranchProtected"


class CredentialsRefused(Terminal):
    """The server asks for credentials that we do not have, or refuses those that we sent."""

    reason = "CredentialsRefused"


class Refused(Terminal):
    """A person asked for a step that is not possible now; the message says why and what is."""

    reason = "Refused"


class PushRejected(Transient):
    """A ref has moved since it was read: somebody else was faster. Read again and decide again."""

    reason = "PushRejected"


class RemoteUnavailable(Transient):
    """The repository cannot be reached, or does not answer in time."""

    reason = "RemoteUnavailable"


class CloneDamaged(Transient):
    """The local clone is not usable; it is disposable and is made again."""

    reason = "CloneDamaged"


class CloneBusy(Transient):
    """Another process works in the local clone; it lets go of it when its pass is done."""

    reason = "CloneBusy"
