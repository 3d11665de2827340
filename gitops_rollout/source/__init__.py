"""What people wrote: from a commit's tree to workloads, other objects, policies and problems."""
