"""Runs the program that is installed with this package: `python -m sundown`."""

import os
import sys
import sysconfig
from pathlib import Path


def user_scheme():
    """Returns the name of the scheme of `pip install --user`."""
    # New in Python 3.10.
    preferred = getattr(sysconfig, "get_preferred_scheme", None)
    return preferred("user") if preferred else f"{os.name}_user"


def find_program():
    """Returns the path of the program, or None if it is missing."""
    name = "sundown" + (sysconfig.get_config_var("EXE") or "")
    package = Path(__file__).resolve().parent
    folders = [
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", scheme=user_scheme()),
        # `pip install --target` and `--prefix`
        package.parent / "bin",
        *(parent / folder for parent in list(package.parents)[:4] for folder in ("bin", "Scripts")),
    ]
    for folder in folders:
        path = Path(folder) / name
        if path.is_file():
            return path
    return None


def main():
    """Replaces this process by the program. Windows cannot do that, so the program runs in a child process there."""
    program = find_program()
    if program is None:
        sys.exit("python -m sundown: the program is missing; run `python -m pip install --force-reinstall sundown`")
    if sys.platform != "win32":
        os.execv(program, [str(program), *sys.argv[1:]])
    import subprocess

    sys.exit(subprocess.run([program, *sys.argv[1:]], check=False).returncode)


if __name__ == "__main__":
    main()
