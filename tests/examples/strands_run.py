"""The Strands example's agent, with a model that does not stream; run where Strands is installed."""

# pyright: basic, reportMissingImports=false

import os
import runpy
import sys

from strands.models import BedrockModel

from m4a.client import Client

agent, *question = sys.argv[1:]
with Client(os.environ["M4A_URL"], os.environ["M4A_TOKEN"]) as memory:
    model = BedrockModel(model_id="scripted", streaming=False)
    print(runpy.run_path(agent)["make_agent"](model, memory)(" ".join(question)))
