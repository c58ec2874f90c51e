"""The platforms for which there is a program, and their names in each ecosystem."""

import re
from dataclasses import dataclass

OLDEST_GLIBC = (2, 17)


@dataclass(frozen=True)
class Platform:
    """A Rust target, its npm package and its wheel."""

    target: str
    os: str
    cpu: str
    libc: str | None
    wheel: str

    @property
    def npm_name(self):
        """The name of the npm package that has the program."""
        suffix = {"glibc": "-gnu", "musl": "-musl", None: ""}[self.libc]
        return f"sundown-lint-{self.os}-{self.cpu}{suffix}"

    @property
    def program(self):
        """The file name of the program."""
        return "sundown.exe" if self.os == "win32" else "sundown"

    def wheel_tag(self, program):
        """The platform tag of a wheel. `program` is the content of the program: it decides which glibc it needs."""
        if self.libc != "glibc":
            return self.wheel
        newest = max(find_glibc_versions(program), default=OLDEST_GLIBC)
        if newest > OLDEST_GLIBC:
            return f"manylinux_{newest[0]}_{newest[1]}_{self.wheel}"
        return f"manylinux_2_17_{self.wheel}.manylinux2014_{self.wheel}"


def find_glibc_versions(program):
    """The versions of glibc that a program names in its table of symbol versions."""
    return {(int(major), int(minor)) for major, minor in re.findall(rb"\0GLIBC_(\d+)\.(\d+)", program)}


PLATFORMS = [
    Platform("aarch64-apple-darwin", "darwin", "arm64", None, "macosx_11_0_arm64"),
    Platform("aarch64-unknown-linux-gnu", "linux", "arm64", "glibc", "aarch64"),
    Platform("aarch64-unknown-linux-musl", "linux", "arm64", "musl", "musllinux_1_1_aarch64"),
    Platform("x86_64-apple-darwin", "darwin", "x64", None, "macosx_10_12_x86_64"),
    Platform("x86_64-pc-windows-msvc", "win32", "x64", None, "win_amd64"),
    Platform("x86_64-unknown-linux-gnu", "linux", "x64", "glibc", "x86_64"),
    Platform("x86_64-unknown-linux-musl", "linux", "x64", "musl", "musllinux_1_1_x86_64"),
]
