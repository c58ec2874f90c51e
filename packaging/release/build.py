"""Builds the program with the pinned tools, and lets it write its man pages and completions."""

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .package import ROOT
from .process import Stop, read_text, run

PROFILE = "dist"
SHELLS = {
    "bash": "sundown.bash",
    "elvish": "sundown.elv",
    "fish": "sundown.fish",
    "powershell": "_sundown.ps1",
    "zsh": "_sundown",
}


@dataclass(frozen=True)
class Tool:
    """A tool that changes the bytes of a release, in the one version that releases are made with."""

    name: str
    version: str
    ask: tuple[str, ...]
    install: str
    # What is before the version in the answer.
    label: str = ""


RUST = Tool("rustc", "1.95.0", ("rustc", "--version"), "rustup toolchain install 1.95.0 && export RUSTUP_TOOLCHAIN=1.95.0")
AUDITABLE = Tool(
    "cargo-auditable", "0.7.7", ("cargo", "install", "--list"),
    "cargo install --locked cargo-auditable@0.7.7", "cargo-auditable v",
)
ZIGBUILD = Tool(
    "cargo-zigbuild", "0.24.1", ("cargo-zigbuild", "--version"), "cargo install --locked cargo-zigbuild@0.24.1"
)
ZIG = Tool(
    "zig", "0.15.2", ("python3", "-m", "ziglang", "version"),
    "python3 -m pip install --require-hashes -r packaging/release/requirements.txt",
)
CYCLONEDX = Tool(
    "cargo-cyclonedx", "0.5.9", ("cargo-cyclonedx", "cyclonedx", "--version"),
    "cargo install --locked cargo-cyclonedx@0.5.9",
)
CARGO_DEB = Tool("cargo-deb", "3.8.0", ("cargo-deb", "--version"), "cargo install --locked cargo-deb@3.8.0")


def require(*tools):
    """Stops if a tool is missing or has another version. The sentence names the command that installs it."""
    for tool in tools:
        path = shutil.which(tool.ask[0])
        done = path and subprocess.run([path, *tool.ask[1:]], capture_output=True, text=True, check=False)
        found = done and re.search(re.escape(tool.label) + r"(\d+\.\d+\.\d+[^\s:]*)", done.stdout)
        if not found or done.returncode:
            raise Stop(f"{tool.name} {tool.version} is missing: {tool.install}")
        if found[1] != tool.version:
            raise Stop(f"{tool.name} is {found[1]}, not {tool.version}: {tool.install}")


def build_tools(platform):
    """The tools that build the program for a platform."""
    return [RUST, AUDITABLE, *([ZIGBUILD, ZIG] if platform.os == "linux" else [])]


def host_target():
    """The target of this machine."""
    return re.search(r"^host: (.*)$", read_text("rustc", "-vV"), re.MULTILINE)[1]


def build_program(platform, environment):
    """Builds the program without a network, and returns its path."""
    require(*build_tools(platform))
    sysroot = read_text("rustc", "--print", "sysroot")
    if not (Path(sysroot) / "lib/rustlib" / platform.target / "lib").is_dir():
        raise Stop(f"the standard library is missing: rustup target add {platform.target}")
    environment = environment | build_variables(platform, sysroot, environment)
    target = platform.target
    command = ["build"]
    if platform.os == "linux":
        command = ["zigbuild"]
        if platform.libc == "glibc":
            target += ".2.17"
    run("cargo", "auditable", *command, "--locked", "--offline", "--profile", PROFILE, "--bin", "sundown",
        "--target", target, environment=environment, show=True)
    folder = ROOT / environment.get("CARGO_TARGET_DIR", "target")
    return folder / platform.target / PROFILE / platform.program


def build_variables(platform, sysroot, environment):
    """Variables that remove the paths of this machine from the program, and what else differs between builds."""
    cargo_home = environment.get("CARGO_HOME", str(Path.home() / ".cargo"))
    commit = re.search(r"^commit-hash: (.*)$", read_text("rustc", "-vV"), re.MULTILINE)[1]
    # If several prefixes fit, rustc uses the last one. The checkout may contain the folder of cargo.
    prefixes = {str(ROOT): "/sundown", cargo_home: "/cargo", f"{sysroot}/lib/rustlib/src/rust": f"/rustc/{commit}"}
    # A panic aborts, so the tables that lead from frame to frame are of no use.
    flags = ["-Cforce-unwind-tables=no"]
    if platform.os == "linux":
        # The path is relative, so that it is the same in every checkout.
        flags.append("-Clink-arg=-Wl,-T,packaging/release/no-unwind-tables.ld")
    flags += [f"--remap-path-prefix={old}={new}" for old, new in prefixes.items()]
    variables = {"CARGO_INCREMENTAL": "0"}
    if platform.os == "win32":
        # No Visual C++ runtime to install, and no time of the build.
        flags += ["-Ctarget-feature=+crt-static", "-Clink-arg=/Brepro"]
    else:
        variables["CFLAGS"] = " ".join(f"-ffile-prefix-map={old}={new}" for old, new in prefixes.items())
    if platform.os == "darwin":
        variables["MACOSX_DEPLOYMENT_TARGET"] = "11.0" if platform.cpu == "arm64" else "10.12"
    variables["CARGO_ENCODED_RUSTFLAGS"] = "\x1f".join(flags)
    return variables


def check_program(program, version):
    """Stops if a program is of another version, or does not find a deprecated field."""
    if run(program, "--version").decode().strip() != f"sundown {version}":
        raise Stop(f"the program is not sundown {version}")
    body = b'{"messages": [], "citations": []}'
    command = [program, "check", "-", "--no-config", "--format", "human", "--as-of", "2026-11-20",
               "--operation", "POST /rest/api/v1/chat", "--side", "request"]
    done = subprocess.run(command, input=body, capture_output=True, check=False)
    if done.returncode != 1 or b"error[chat-citations]" not in done.stdout:
        raise Stop(f"the program does not find a deprecated field; its exit code is {done.returncode}, not 1")


def write_documents(program, folder):
    """Writes man pages and completions, which the program prints."""
    (folder / "man").mkdir(parents=True)
    write_manual(program, folder / "man", [])
    (folder / "completions").mkdir()
    for shell, name in SHELLS.items():
        (folder / "completions" / name).write_bytes(run(program, "completions", shell))


def write_manual(program, folder, command):
    """Writes the page of a command and the pages that it refers to."""
    page = run(program, "manual", *command)
    (folder / ("-".join(["sundown", *command]) + ".1")).write_bytes(page)
    prefix = re.escape(rb"\-".join(part.encode() for part in ["sundown", *command]))
    for name in re.findall(rb"^" + prefix + rb"\\-([a-z]+)\(1\)$", page, re.MULTILINE):
        write_manual(program, folder, [*command, name.decode()])
