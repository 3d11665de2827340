"""The planner: pure decisions over the rollout file."""
