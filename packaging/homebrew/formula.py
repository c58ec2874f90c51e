#!/usr/bin/env python3
"""Writes the Homebrew formula of a release to standard output: each archive that SHA256SUMS lists, with its sum.

Usage: packaging/homebrew/formula.py RELEASE_FOLDER [ADDRESS]

ADDRESS is where the archives are published. By default, it is the release in the repository that packaging/repository
names.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# On Linux, the static program: Homebrew runs on systems with any version of glibc.
SYSTEMS = {
    "macos": {"arm": ["aarch64-apple-darwin"], "intel": ["x86_64-apple-darwin"]},
    "linux": {
        "arm": ["aarch64-unknown-linux-musl", "aarch64-unknown-linux-gnu"],
        "intel": ["x86_64-unknown-linux-musl", "x86_64-unknown-linux-gnu"],
    },
}
HEAD = """\
# Written by packaging/homebrew/formula.py in the repository of sundown.
class Sundown < Formula
  desc "Deprecation linter for API payloads"
{homepage}  version "{version}"
  license any_of: ["Apache-2.0", "MIT"]
"""
TAIL = """
  def install
    bin.install "sundown"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/sundown.bash" => "sundown"
    zsh_completion.install "completions/_sundown"
    fish_completion.install "completions/sundown.fish"
  end

  test do
    (testpath/"chat.request.json").write '{"messages": [], "citations": []}'
    assert_match version.to_s, shell_output("#{bin}/sundown --version")
    assert_match "error[chat-citations]", shell_output("#{bin}/sundown check chat.request.json", 1)
  end
end
"""


def main(folder, address=None):
    version = re.search(r'^version = "(.*)"$', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)[1]
    repository = (ROOT / "packaging/repository").read_text().strip()
    if address is None:
        if not repository.startswith("https://"):
            sys.exit("formula.py: packaging/repository names no repository; give the address of the archives")
        address = f"{repository}/releases/download/v{version}"
    sums = dict(reversed(line.split()) for line in (Path(folder) / "SHA256SUMS").read_text().splitlines())
    blocks = []
    for system, processors in SYSTEMS.items():
        block = []
        for processor, targets in processors.items():
            names = [f"sundown-v{version}-{target}.tar.gz" for target in targets]
            for name in [name for name in names if name in sums][:1]:
                block += [
                    f"    on_{processor} do",
                    f'      url "{address}/{name}"',
                    f'      sha256 "{sums[name]}"',
                    "    end",
                ]
        if block:
            blocks += ["", f"  on_{system} do", *block, "  end"]
    if not blocks:
        sys.exit(f"formula.py: {folder} has no archive of version {version}")
    homepage = f'  homepage "{repository}"\n' if repository.startswith("https://") else ""
    print(HEAD.format(homepage=homepage, version=version) + "\n".join(blocks) + "\n" + TAIL, end="")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
