"""What people have put where a file of ours belongs: it is never written over (case 62)."""

from gitops_rollout.ports import Trees


def obstacle(trees: Trees, commit: str, path: str) -> str | None:
    """Name what makes it impossible to write a file at `path`: a file where one of its folders belongs,
    or a folder in its own place. None: nothing does.
    """
    above, _, name = path.rpartition("/")
    parts = above.split("/") if above else []
    for number in range(1, len(parts) + 1):
        folder = "/".join(parts[:number])
        if trees.tree(commit, folder) is None:
            return None
        if trees.read(commit, folder) is not None:
            return folder
    return path if name and trees.folder(commit, path) else None
