"""python -m gitops_rollout: runs the command line and turns errors into exit codes."""

import io
import sys

import typer

from gitops_rollout.cli.app import app
from gitops_rollout.cli.exits import Exit
from gitops_rollout.errors import (
    BadSettings,
    BranchProtected,
    CloneBusy,
    CredentialsRefused,
    PushRejected,
    RemoteUnavailable,
    RolloutError,
)

WHAT_TO_DO = {
    BranchProtected.reason: "let the configured identity push the output branch and gitops-rollout/gate/*",
    CredentialsRefused.reason: "name a passwordFile, or an SSH key, under credentials in the settings",
    RemoteUnavailable.reason: "check the URL and the network, then try again; nothing was taken for deleted",
    CloneBusy.reason: "try again in a moment, or give this command a --cache of its own",
    PushRejected.reason: "somebody else writes all the time; try again",
}


def main() -> None:
    """Run one command; an error that is ours is one clear message, anything else a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that knows no arrows gets \\u2192
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except BadSettings as error:
        _say(error)
        sys.exit(Exit.USAGE)
    except RolloutError as error:
        _say(error)
        sys.exit(Exit.FAILED)


def _say(error: RolloutError) -> None:
    for line in str(error).splitlines() or [""]:
        typer.echo(f"error: {line} [{error.reason}]", err=True)
    if error.reason in WHAT_TO_DO:
        typer.echo(f"to do: {WHAT_TO_DO[error.reason]}", err=True)


if __name__ == "__main__":
    main()
