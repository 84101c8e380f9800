"""``python -m tests.cases FILE``: runs the cases of a file against a local server."""

import sys
from pathlib import Path

from tests.cases.case_file import UnreadableFile
from tests.cases.report import run_file

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m tests.cases FILE")
    try:
        sys.exit(run_file(Path(sys.argv[1]), lambda line: print(line, flush=True)))
    except UnreadableFile as error:
        sys.exit(str(error))
