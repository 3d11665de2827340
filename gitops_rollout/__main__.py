"""python -m gitops_rollout: runs the command line and turns errors into exit codes."""

import sys

import typer

from gitops_rollout.cli.app import app
from gitops_rollout.cli.exits import Exit
from gitops_rollout.errors import BadSettings, RolloutError


def main() -> None:
    """Run one command; an error that is ours is one clear message, anything else a traceback."""
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


if __name__ == "__main__":
    main()
