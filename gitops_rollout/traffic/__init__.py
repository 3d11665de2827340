"""Traffic of one workload: terms, pools, the one owned route."""
