"""``python -m tests.cases FILE``: runs the cases of a file against a local server, in one of the profiles."""

import argparse
import sys
from pathlib import Path

from tests.cases.case_file import UnreadableFile
from tests.cases.report import run_file
from tests.support.profiles import EMBEDDED, PROFILES

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.cases")
    parser.add_argument("file", type=Path, help="cases, a JSON object a line")
    parser.add_argument("--profile", choices=PROFILES, default=EMBEDDED, help="which backends the server has")
    asked = parser.parse_args()
    try:
        sys.exit(run_file(asked.file, lambda line: print(line, flush=True), asked.profile))
    except UnreadableFile as error:
        sys.exit(str(error))
