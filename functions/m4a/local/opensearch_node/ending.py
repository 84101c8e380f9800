"""Makes a process end together with whoever wanted it."""

import os
import threading


def end_with_input() -> None:
    """From now on this process ends when its standard input closes.

    That is a pipe from whoever wanted it: it closes when they do so, and when they die, however they do. What a node
    answered is on disk by then, so nothing needs an orderly end.
    """
    threading.Thread(target=_wait, name="m4a-end", daemon=True).start()


def _wait() -> None:
    while os.read(0, 4096):
        pass
    os._exit(0)
