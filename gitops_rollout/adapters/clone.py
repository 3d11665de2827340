"""The folder of a bare clone: ours alone, disposable, and exactly as we made it.

Resting state: HEAD and config hold our own bytes, no `*.lock` is left, and every object is complete
or absent. A folder that looks otherwise is emptied; whoever owns the clone fetches again.
"""

import fcntl
import os
import shutil
import time
from pathlib import Path

from gitops_rollout.errors import BadSettings, CloneBusy, CloneDamaged

_FILES = {
    "HEAD": "ref: refs/heads/none\n",
    "config": "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n",
}
# With these a repository borrows objects, settings or history from elsewhere; ours never does.
_FOREIGN = ("commondir", "shallow", "objects/info/alternates", "info/grafts", "info/attributes")
_FOLDERS = ("objects/info", "objects/pack", "refs")
_LEFT_BEHIND = ("*.lock", "*.keep", "fast_import_crash_*")
_CLAIM = b"the folder beside this file is a clone of gitops-rollout and disposable\n"
_MANY_PACKS = 50
_POLL_SECONDS = 0.05


class Clone:
    """One clone's folder, locked from `__init__` to `close`.

    The lock lies beside the folder, so that the folder can be thrown away under it, and remembers
    that the folder is ours to throw away. Raises CloneDamaged when another process keeps it for
    longer than `seconds`, or the disk refuses; BadSettings for a folder with somebody else's files.
    """

    def __init__(self, path: Path, seconds: float) -> None:
        self.path = path.absolute()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(self.beside("lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise CloneDamaged(f"{self.path} cannot be used: {error.strerror}") from error
        try:
            self._wait(time.monotonic() + seconds)
            self._settle()
        except BaseException:
            self.close()
            raise

    def beside(self, suffix: str) -> Path:
        """Give the path of a file that belongs to the clone and lies beside it."""
        return self.path.with_name(f"{self.path.name}.{suffix}")

    def check(self) -> None:
        """Raise CloneDamaged unless settings and folders are as we made them."""
        try:
            sound = self._looks_as_made()
        except OSError:
            sound = False
        if not sound:
            raise CloneDamaged(f"{self.path} is not as it was made")

    def reset(self) -> None:
        """Throw everything away and leave an empty clone; raises CloneDamaged when the disk refuses."""
        try:
            if self.path.is_symlink() or self.path.is_file():
                self.path.unlink()
            elif self.path.exists():
                shutil.rmtree(self.path)
            for folder in _FOLDERS:
                (self.path / folder).mkdir(parents=True)
            for name, text in _FILES.items():
                (self.path / name).write_text(text, encoding="utf-8")
        except OSError as error:
            raise CloneDamaged(f"{self.path} cannot be made again: {error.strerror}") from error

    def crowded(self) -> bool:
        """Say whether so many packs have gathered that reading becomes slow."""
        return sum(name.endswith(".pack") for name in os.listdir(self.path / "objects/pack")) > _MANY_PACKS

    def close(self) -> None:
        """Let others have the folder."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def _wait(self, deadline: float) -> None:
        while True:
            try:
                return fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise CloneBusy(f"{self.path} is in use by another process") from None
            time.sleep(_POLL_SECONDS)

    def _settle(self) -> None:
        if not self._is_sound():
            self._claim()
            self.reset()
        os.pwrite(self._lock, _CLAIM, 0)

    def _claim(self) -> None:
        """Refuse to throw away what is not ours."""
        ours = os.pread(self._lock, len(_CLAIM), 0) == _CLAIM
        empty = not self.path.exists() or (self.path.is_dir() and not any(self.path.iterdir()))
        if not ours and not empty:
            raise BadSettings(f"{self.path} holds other files: name a folder of its own for the clone")

    def _is_sound(self) -> bool:
        try:
            self.check()
            # Nobody else holds the clone: what locks or keeps in it belongs to a command that died.
            for left in _LEFT_BEHIND:
                for file in self.path.rglob(left):
                    file.unlink()
        except (OSError, CloneDamaged):
            return False
        return True

    def _looks_as_made(self) -> bool:
        return (
            all((self.path / folder).is_dir() for folder in _FOLDERS)
            and all((self.path / name).read_bytes() == text.encode() for name, text in _FILES.items())
            and not any((self.path / name).exists() for name in _FOREIGN)
        )
