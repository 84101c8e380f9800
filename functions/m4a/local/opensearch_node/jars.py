"""Where the jars of OpenSearch and its k-NN plugin are kept on this machine."""

from pathlib import Path

VERSION = "2.19.1"
FOLDER = Path.home() / ".cache" / "m4a" / f"opensearch-{VERSION}"


def classpath() -> list[Path]:
    """The jars, those of the engine before those of the plugin; empty if they were not fetched yet."""
    return [jar for part in ("engine", "knn") for jar in sorted((FOLDER / part).glob("*.jar"))]
