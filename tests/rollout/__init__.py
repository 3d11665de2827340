"""The planner, over values: an output branch in memory, and Kthena's ordinals."""
