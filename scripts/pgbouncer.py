"""Makes sure that the tests of a transaction pooler have a PgBouncer, or says that they are skipped."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

PLACES = "/usr/sbin:/usr/bin:/usr/local/bin"
# Debian's package starts a service where there is systemd, which nobody wants here.
SERVICES = Path("/run/systemd/system")


def main() -> int:
    if shutil.which("pgbouncer", path=PLACES):
        return 0
    if os.geteuid() == 0 and shutil.which("apt-get") and not SERVICES.exists():
        print("Tests of a transaction pooler need PgBouncer: installing it with apt-get.", flush=True)
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", "pgbouncer"]):
            silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            subprocess.run(["apt-get", *command], env=quiet, check=False, **silent)
    if not shutil.which("pgbouncer", path=PLACES):
        print("Skipping the tests of a transaction pooler: no PgBouncer here (apt-get install pgbouncer)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
