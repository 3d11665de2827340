"""Commands that begin: init writes settings, run polls."""

import logging
import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from gitops_rollout.api.settings_document import read_settings
from gitops_rollout.api.values import Object
from gitops_rollout.cli import as_json, screen
from gitops_rollout.cli.settings import DEFAULT, Config, Form, Output, absolute, load_settings
from gitops_rollout.documents.emit import emit
from gitops_rollout.errors import BadSettings
from gitops_rollout.service import Service


def init(
    source: Annotated[str, typer.Argument(help="URL or path of the spec repository")],
    output: Annotated[str, typer.Argument(help="URL or path of the output repository")],
    config: Annotated[Path, typer.Option("--config", "-c", help="Where the settings are written")] = DEFAULT,
    form: Output = Form.TEXT,
) -> None:
    """Write a settings file from two URLs; everything in it can be changed afterwards."""
    pipeline: Object = {
        "name": "default",
        "source": {"url": absolute(source), "branch": "main", "paths": ["specs"]},
        "output": {"url": absolute(output), "branch": "main", "root": "rollouts"},
    }
    settings: Object = {"interval": "30s", "pipelines": [pipeline]}
    read_settings(settings)
    try:
        with config.open("x", encoding="utf-8") as file:
            file.write(emit(settings))
    except FileExistsError:
        raise BadSettings(f"{config} is there already; it is not overwritten") from None
    except OSError as error:
        raise BadSettings(f"{config}: {error.strerror}") from None
    option = "" if config == DEFAULT else f" --config {shlex.quote(str(config))}"
    if form is Form.JSON:
        as_json.show({"file": str(config), "settings": settings})
        return
    screen.out.print(f"Wrote {config}: it reads specs/ of branch main, and writes rollouts/ on branch main.")
    screen.out.print(f"Next: gitops-rollout plan{option}, then gitops-rollout once{option}")


def run(config: Config = None) -> None:
    """Poll all pipelines until SIGTERM: with jitter, one pass at a time for each output."""
    settings = load_settings(config)
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    logging.getLogger("apscheduler").setLevel(logging.WARNING)
    Service(settings).run()
