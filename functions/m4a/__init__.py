"""M4A: memory as tools. Four explicit operations for agents: remember, recall, update_memory, forget."""

__version__ = "0.1.0"
