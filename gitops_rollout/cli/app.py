"""The command line as a whole; what each command does is in its own module."""

from typing import Annotated

import typer

from gitops_rollout import __version__
from gitops_rollout.cli import compare, history, orders, passes, simulate, start, ways
from gitops_rollout.cli.settings import aimed, somewhere

app = typer.Typer(
    name="gitops-rollout",
    help="Makes a merge safe: revisions, semantic diffs and gated rollouts of LLM serving specs kept in Git.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"gitops-rollout {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version")
    ] = False,
) -> None:
    """Makes a merge safe: revisions, semantic diffs and gated rollouts of LLM serving specs kept in Git.

    Start with `gitops-rollout init SOURCE OUTPUT`, look with `plan`, act with `once` or `run`.
    Exit codes: 0 fine, 1 error, 2 bad usage or settings, 3 some input was refused, 4 see diff.
    """


app.command("once")(somewhere(passes.once))
app.command("sync", hidden=True, help="The same as once.")(somewhere(passes.once))
app.command("run")(start.run)
app.command("init")(start.init)
app.command("plan")(somewhere(passes.plan))
app.command("diff")(compare.diff)
app.command("validate")(compare.validate)
app.command("simulate")(simulate.simulate)
app.command("status")(somewhere(passes.status))
app.command("history")(aimed(history.history))
app.command("render")(aimed(history.render))
app.command("abort")(aimed(orders.aborted))
app.command("rollback")(aimed(ways.rollback))
app.command("resume")(aimed(ways.resume))
app.command("promote")(aimed(ways.promote))
app.command("import-history")(aimed(ways.import_history))
app.add_typer(orders.gate, name="gate")
