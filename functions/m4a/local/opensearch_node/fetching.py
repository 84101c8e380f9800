"""Fetches the jars of OpenSearch and its k-NN plugin from the registry of Java packages."""

import shutil
import tempfile
import zipfile
from pathlib import Path

from jgo.env import EnvironmentBuilder, LinkStrategy
from jgo.maven import MavenContext

from m4a.local.opensearch_node.ending import end_with_input
from m4a.local.opensearch_node.jars import FOLDER, VERSION

_ENGINE = "+".join(
    [
        f"org.opensearch:opensearch:{VERSION}",
        f"org.opensearch.plugin:transport-netty4-client:{VERSION}",
        f"org.opensearch.plugin:lang-painless:{VERSION}",
    ]
)
# Resolved alone: beside OpenSearch its managed versions would pull in other ones of jackson and netty.
_LOGGING = ("org.apache.logging.log4j", "log4j-core", "2.21.0")


def fetch() -> None:
    """Puts the jars into ``jars.FOLDER``, all or none: an interrupted download leaves nothing half there."""
    FOLDER.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=FOLDER.parent) as temporary:
        scratch, ready = Path(temporary, "scratch"), Path(temporary, "ready")
        maven = MavenContext(repo_cache=scratch / "repository")
        engine = EnvironmentBuilder(maven, cache_dir=scratch / "environments", link_strategy=LinkStrategy.COPY)
        (ready / "engine").mkdir(parents=True)
        for jar in [*engine.from_endpoint(_ENGINE).all_jars, _artifact(maven, *_LOGGING)]:
            shutil.copy(jar, ready / "engine")
        plugin = _artifact(maven, "org.opensearch.plugin", "opensearch-knn", f"{VERSION}.0", "zip")
        with zipfile.ZipFile(plugin) as archive:
            archive.extractall(ready / "knn")
        if not FOLDER.exists():
            ready.rename(FOLDER)


def _artifact(maven: MavenContext, group: str, name: str, version: str, packaging: str = "jar") -> Path:
    return maven.project(group, name).at_version(version).artifact(packaging=packaging).resolve()


if __name__ == "__main__":
    end_with_input()
    fetch()
