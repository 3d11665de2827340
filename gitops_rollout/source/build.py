"""Runs `kustomize build` or `kubectl kustomize` on a private copy, and takes its output only.

No network (dead proxies, no git on PATH), no plugins (none is enabled), files of other folders refused
by the load restrictor (the default), an end in time, an end in size. Resting state: the copy is gone.
"""

import json
import os
import re
import signal
import subprocess
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from shutil import which

from gitops_rollout.api.values import Object, sequence
from gitops_rollout.errors import BadSettings
from gitops_rollout.source.kustomization import NotBuilt

_LOG_PREFIX = re.compile(r'error: |Error: |E\d{4} [\d:.]+ +\d+ [\w.]+:\d+\] "command failed" err=')
_NOWHERE = "http://127.0.0.1:9"
_LONGEST_MESSAGE = 400
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY", "all_proxy")


@dataclass(frozen=True, slots=True)
class Builder:
    """The binary that builds, and how long (seconds) and how large (bytes) one build may be."""

    binary: Path
    timeout: float = 60.0
    most: int = 4 * 2**20

    @property
    def version(self) -> str:
        """Give what changes with the binary, without running it. Raises NotBuilt when it is gone."""
        try:
            status = self.binary.stat()
        except OSError as error:
            raise self._broken(error) from None
        return f"{self.binary} {status.st_size} {status.st_mtime_ns}"

    def build(self, files: Mapping[str, bytes], file: str, kustomization: Object) -> bytes:
        """Build the folder of the kustomization `file` out of a copy of `files` (path → bytes).

        Every object of the output says where it comes from (annotation config.kubernetes.io/origin).
        Raises NotBuilt.
        """
        try:
            with tempfile.TemporaryDirectory(prefix="gitops-rollout-") as private:
                root, nothing = Path(private, "source"), Path(private, "nothing")
                nothing.mkdir()
                for path, content in {**files, file: _with_origins(kustomization)}.items():
                    target = root / path
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(content)
                return self._run((root / file).parent, nothing, root)
        except OSError as error:
            raise self._broken(error) from None

    def _broken(self, error: OSError) -> NotBuilt:
        return NotBuilt("KUSTOMIZE_FAILED", f"{self.binary.name} cannot be run: {error.strerror}")

    def _run(self, folder: Path, nothing: Path, root: Path) -> bytes:
        verb = "build" if self.binary.name.startswith("kustomize") else "kustomize"
        environment = {"PATH": str(nothing), "HOME": str(nothing), "TMPDIR": str(nothing), "LC_ALL": "C"}
        environment |= dict.fromkeys(_PROXIES, _NOWHERE)
        with (
            tempfile.TemporaryFile() as errors,
            subprocess.Popen(
                [str(self.binary), verb, str(folder)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=nothing,
                env=environment,
                start_new_session=True,
            ) as process,
        ):
            output, late = _drain(process, self.timeout, self.most)
            if late:
                raise NotBuilt("KUSTOMIZE_FAILED", f"the build took longer than {self.timeout:g} s (timeout)")
            if len(output) > self.most:
                raise NotBuilt("LIMIT", f"the build gives more than {self.most} bytes (limits.fileBytes)")
            if process.returncode:
                errors.seek(0)
                raise NotBuilt("KUSTOMIZE_FAILED", _said(errors.read(1 << 16), root))
        return output


def find_binary(configured: str | None) -> Path | None:
    """Give the configured binary, else kustomize or kubectl from PATH, else None.

    Raises BadSettings when the configured one is not there.
    """
    found = which(configured) if configured else which("kustomize") or which("kubectl")
    if configured and not found:
        raise BadSettings(f"kustomize: there is no program {configured}")
    return Path(os.path.realpath(found)) if found else None


def _drain(process: "subprocess.Popen[bytes]", timeout: float, most: int) -> tuple[bytes, bool]:
    """Read at most one byte more than `most`, and say whether the time was over first."""
    late = threading.Event()

    def stop() -> None:
        late.set()
        _kill(process)

    timer = threading.Timer(timeout, stop)
    timer.start()
    try:
        output = process.stdout.read(most + 1) if process.stdout else b""
        if len(output) > most:
            _kill(process)
        process.wait()
    finally:
        timer.cancel()
        _kill(process)
    return output, late.is_set()


def _kill(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)


def _with_origins(kustomization: Object) -> bytes:
    metadata = [name for name in sequence(kustomization.get("buildMetadata")) if name != "originAnnotations"]
    return json.dumps({**kustomization, "buildMetadata": [*metadata, "originAnnotations"]}).encode()


def _said(raw: bytes, root: Path) -> str:
    """Give what the binary says in one line, with paths as they are in the repository."""
    text = raw.decode("utf-8", "replace")
    for private in {os.path.realpath(root), str(root)}:
        text = text.replace(f"{private}/", "").replace(private, ".")
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return f"the build failed: {_LOG_PREFIX.sub('', line)[:_LONGEST_MESSAGE]}"
