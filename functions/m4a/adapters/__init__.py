"""What fulfils the ports."""

import os

# ONNX Runtime reports to its maker from the moment it is imported, over the network and in files of its own, unless it
# is told not to before. Whoever wants that can still set the variable to 0.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
