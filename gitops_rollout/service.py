"""The loop: polls every pipeline with jitter, one pass at a time for each, and stops cleanly.

This is the one place that sleeps, and the one that logs an error that nobody expected: with its
traceback, and goes on with the next tick.
"""

import logging
import signal
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import Event

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler

from gitops_rollout.api.settings import Pipeline, Settings
from gitops_rollout.errors import RolloutError, Terminal
from gitops_rollout.report import Report, shared_notes
from gitops_rollout.wiring import opened

log = logging.getLogger("gitops_rollout")


@dataclass(frozen=True, slots=True)
class Service:
    """Runs the passes of all pipelines until it is told to stop."""

    settings: Settings
    stopping: Event = field(default_factory=Event)

    def run(self) -> None:
        """Poll until SIGTERM or SIGINT; the pass that is on is finished first."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self.stopping.set())
        pipelines = self.settings.pipelines
        scheduler = BackgroundScheduler(
            executors={"default": ThreadPoolExecutor(len(pipelines))}, timezone=UTC
        )
        for pipeline in pipelines:
            # One pass at a time for each output; a tick that comes while one is on is dropped, a
            # tick that comes late is done all the same.
            scheduler.add_job(
                self.tick,
                "interval",
                args=[pipeline],
                id=pipeline.name,
                seconds=self.settings.interval,
                jitter=self.settings.jitter,
                max_instances=1,
                coalesce=True,
                misfire_grace_time=None,
                next_run_time=datetime.now(UTC),
            )
        with ExitStack() as stack:
            scheduler.start()
            stack.callback(scheduler.shutdown, wait=True)
            names = ", ".join(pipeline.name for pipeline in pipelines)
            log.info("polling every %d s: %s", self.settings.interval, names)
            self.stopping.wait()
        log.info("stopped")

    def tick(self, pipeline: Pipeline) -> None:
        """Do one pass; whatever goes wrong is said once and tried again with the next tick."""
        try:
            with opened(self.settings, pipeline) as open_pipeline:
                _say(open_pipeline.once(datetime.now(UTC)))
        except RolloutError as error:
            level = logging.ERROR if isinstance(error, Terminal) else logging.WARNING
            log.log(level, "%s: %s: %s", pipeline.name, error.reason, error)
        except Exception:  # a bug must not end the service, and must be seen
            log.exception("%s: an error that nobody expected; please report it", pipeline.name)


def _say(report: Report) -> None:
    """Log what a pass did; an idle pass says nothing. What holds for many is said once."""
    if report.idle:
        return
    for one in report.workloads:
        if one.words:
            log.info("%s: %s: %s", report.pipeline, one.key, one.words)
        for problem in one.blocked:
            log.error("%s: %s: %s", report.pipeline, one.key, problem)
    for note, keys in shared_notes(report.workloads).items():
        more = f" and {len(keys) - 1} more" if len(keys) > 1 else ""
        log.warning("%s: %s%s: %s", report.pipeline, keys[0], more, note)
    for warning in report.warnings:
        log.warning("%s: %s", report.pipeline, warning)
    for problem in dict.fromkeys(
        (*(one for each in report.workloads for one in each.problems), *report.problems)
    ):
        log.error("%s: %s", report.pipeline, problem)
