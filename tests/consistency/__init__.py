"""Read-your-writes under load: a workload with a disturbed indexer, and a checker of what it recorded."""
