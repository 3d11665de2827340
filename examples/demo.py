"""The main job in one go: a merged change becomes a recorded revision, an honest diff and a rollout.

Everything is real: two Git repositories on this disk, the command line of gitops-rollout, and git as
a person would use it. Both repositories are left in demo/ to look at.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.rule import Rule

from gitops_rollout.cli.app import app

HERE = Path(__file__).resolve().parent
PLACE = Path("demo")
SPEC = "specs/chat.yaml"
say = Console(highlight=False, soft_wrap=True)

PERSON = {
    "PATH": os.environ["PATH"],
    "HOME": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.com",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.com",
}


def main() -> None:
    """Play the story; stops with a traceback where anything is not as it says."""
    shutil.rmtree(PLACE, ignore_errors=True)
    PLACE.mkdir()
    chapter("A team keeps its ModelServing in Git", "Four replicas of one model; a policy lets a new revision in by steps.")
    bare("specs.git")
    bare("output.git")
    git(".", "clone", "--quiet", "specs.git", "specs", quiet=True)
    shutil.copytree(HERE / "01-first-rollout" / "specs", PLACE / "specs" / "specs")
    push_specs("Serve chat")
    show(PLACE / "specs" / SPEC)
    once()
    show_output()

    chapter("Somebody changes the image", "First: what would it do? Then: a pass records it and asks for the first step.")
    old = (PLACE / "specs" / SPEC).read_text()
    edit(old, old.replace("0.10.1", "0.10.2"), "Update the engine to 0.10.2")
    rollout("diff", "HEAD~1", "HEAD", "--path", "specs", inside="specs")
    once()

    chapter("Every step is a branch to merge", "The diff of the branch is what is approved. Merging it moves the partition.")
    git("output.git", "show", "--stat", "--format=%s%n%n%b", gate())
    while gate():
        merge(gate())
        once()
    rollout("status", *where())

    chapter("A respelling restarts nothing", 'GPUs as "1" instead of 1, keys in another order: the same amount, the same revision.')
    new = (PLACE / "specs" / SPEC).read_text()
    edit(new, respelled(new), "Respell the quantities")
    before = head()
    rollout("diff", "HEAD~1", "HEAD", "--path", "specs", inside="specs")
    once()
    assert head() == before, "a respelling must not reach the output"
    say.print("[green]The output branch has not moved.[/]")

    chapter("A bad version, half way in", "Its first step is merged; then the source goes back to what ran before.")
    good = (PLACE / "specs" / SPEC).read_text()
    edit(good, good.replace("0.10.2", "0.11.0"), "Update the engine to 0.11.0")
    once()
    merge(gate())
    once()
    git("specs", "revert", "--no-edit", "HEAD", quiet=True)
    git("specs", "push", "--quiet", "origin", "HEAD:main")
    once()
    say.print("The template of stable is back at once, at the same partition: only what moved moves back.")
    git("output.git", "show", "--format=%s", "main", "--", "*modelserving.yaml")
    merge(gate())
    once()
    rollout("status", *where())
    rollout("history", "ms/chat", "-n", "serving", *where())
    chapter("Look around", "git -C demo/output.git log --graph --oneline main; git -C demo/output.git show main:rollouts/serving/chat/rollout.yaml")


def chapter(title: str, text: str) -> None:
    """Begin a chapter."""
    say.print()
    say.print(Rule(f"[bold]{title}[/]", align="left"))
    say.print(text, style="dim")
    say.print()


def bare(name: str) -> None:
    """Make an empty repository, as a forge would."""
    git(".", "init", "--quiet", "--bare", "--initial-branch=main", name, quiet=True)


def git(folder: str, *arguments: str, quiet: bool = False) -> str:
    """Run git as a person would, and show it."""
    if not quiet:
        say.print(f"[bold cyan]$ git -C demo/{folder} {' '.join(arguments)}[/]", markup=True)
    command = ["git", "-C", str(PLACE / folder), *arguments]
    done = subprocess.run(command, env=PERSON, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"git {' '.join(arguments)}: {done.stderr}")
    if not quiet and done.stdout:
        say.print(done.stdout.rstrip(), markup=False)
    return done.stdout.strip()


def rollout(*arguments: str, inside: str | None = None) -> None:
    """Run gitops-rollout, in this process for speed, and show it."""
    shown = [one for one in arguments if not one.startswith("demo/.cache")]
    say.print(f"[bold cyan]$ gitops-rollout {' '.join(shown)}[/]")
    before = Path.cwd()
    os.chdir(PLACE / inside if inside else before)
    try:
        status = app([*arguments], standalone_mode=False)
    finally:
        os.chdir(before)
    if status not in (0, None):
        sys.exit(f"gitops-rollout {arguments[0]} ended with {status}")


def where() -> list[str]:
    """Give the options that name both repositories."""
    return ["--source", "demo/specs.git", "--output", "demo/output.git", "--cache", "demo/.cache"]


def once() -> None:
    """Do one pass."""
    rollout("once", *where())


def push_specs(message: str) -> None:
    """Merge a change into the source, as a team does after its review."""
    git("specs", "add", "--all", quiet=True)
    git("specs", "commit", "--quiet", "-m", message)
    git("specs", "push", "--quiet", "origin", "HEAD:main", quiet=True)


def edit(old: str, new: str, message: str) -> None:
    """Change the spec."""
    assert old != new
    (PLACE / "specs" / SPEC).write_text(new)
    push_specs(message)


def respelled(text: str) -> str:
    """Spell amounts and order otherwise; every value stays the same."""
    return text.replace("nvidia.com/gpu: 1", 'nvidia.com/gpu: "1000m"').replace("replicas: 4", "replicas:   4")


def gate() -> str:
    """Name the open gate, empty when there is none."""
    listed = git("output.git", "for-each-ref", "--format=%(refname:short)", "refs/heads/gitops-rollout/", quiet=True)
    return listed.splitlines()[0] if listed else ""


def merge(branch: str) -> None:
    """Approve: merge the gate's branch and push, as a forge's merge button does."""
    if not (PLACE / "output").exists():
        git(".", "clone", "--quiet", "output.git", "output", quiet=True)
    git("output", "fetch", "--quiet", "origin", quiet=True)
    git("output", "checkout", "--quiet", "-B", "main", "origin/main", quiet=True)
    git("output", "merge", "--quiet", "--no-ff", "-m", f"Merge {branch}", f"origin/{branch}")
    git("output", "push", "--quiet", "origin", "main", quiet=True)


def head() -> str:
    """Give the head of the output branch."""
    return git("output.git", "rev-parse", "main", quiet=True)


def show(path: Path) -> None:
    """Show a file."""
    say.print(f"[bold cyan]$ cat {path}[/]")
    say.print(path.read_text().rstrip(), markup=False)


def show_output() -> None:
    """Show what stands in the output branch."""
    git("output.git", "ls-tree", "-r", "--name-only", "main")


if __name__ == "__main__":
    main()
