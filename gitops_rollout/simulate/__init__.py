"""A rollout played to its end in a simulated world, with every invariant checked after every step."""
