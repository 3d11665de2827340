"""One package per workload kind, all behind the protocol in kinds/protocol.py."""
