"""Text and values: reading YAML as Kubernetes does, writing it byte-stable."""
