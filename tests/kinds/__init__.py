"""Tests of the workload kinds."""
