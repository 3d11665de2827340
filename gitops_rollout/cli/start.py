"""Commands that begin: init writes settings, run polls."""

import logging
import sys
from pathlib import Path
from typing import Annotated

import typer

from gitops_rollout.api.settings_document import settings_from_urls
from gitops_rollout.cli import screen
from gitops_rollout.cli.settings import DEFAULT, Config, load_settings
from gitops_rollout.documents.emit import emit
from gitops_rollout.errors import BadSettings
from gitops_rollout.service import Service


def init(
    source: Annotated[str, typer.Argument(help="URL or path of the spec repository")],
    output: Annotated[str, typer.Argument(help="URL or path of the output repository")],
    config: Annotated[Path, typer.Option("--config", "-c", help="Where the settings are written")] = DEFAULT,
) -> None:
    """Write a settings file from two URLs; everything in it can be changed afterwards."""
    settings_from_urls(source, output, {"name": "default"})
    text = emit(
        {
            "interval": "30s",
            "pipelines": [
                {
                    "name": "default",
                    "source": {"url": source, "branch": "main", "paths": ["specs"]},
                    "output": {"url": output, "branch": "main", "root": "rollouts"},
                }
            ],
        }
    )
    try:
        with config.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise BadSettings(f"{config} is there already; it is not overwritten") from None
    except OSError as error:
        raise BadSettings(f"{config}: {error.strerror}") from None
    screen.out.print(f"Wrote {config}. Next: gitops-rollout plan, then gitops-rollout once or run.")


def run(config: Config = None) -> None:
    """Poll all pipelines until SIGTERM: with jitter, one pass at a time for each output."""
    settings = load_settings(config)
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    logging.getLogger("apscheduler").setLevel(logging.WARNING)
    Service(settings).run()
