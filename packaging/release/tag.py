"""Checks that a tag can be released."""

import re

from .package import ROOT
from .process import Stop


def check_tag(package, tag):
    """Stops if a tag cannot be released: packages would lead nowhere, or say what is not true."""
    if not re.fullmatch(r"\d+\.\d+\.\d+", package.version):
        raise Stop(f"{package.version} is a prerelease, for which there are no packages")
    if tag != f"v{package.version}":
        raise Stop(f"the tag {tag} is not that of version {package.version}")
    if package.repository is None:
        raise Stop("packaging/repository does not name the repository, which npm, cargo-binstall and install.sh need")
    text = (ROOT / "Cargo.toml").read_text()
    if f'\nrepository = "{package.repository}"\n' not in text:
        raise Stop(f'Cargo.toml lacks repository = "{package.repository}", which is in packaging/repository')
    versions = re.findall(r'^(?:version = "|sundown-[\w-]+ = \{ version = "=)([^"]*)', text, re.MULTILINE)
    if set(versions) != {package.version}:
        raise Stop(f"the crates of the workspace have other versions in Cargo.toml than {package.version}")
    heading = re.search(rf"^## {re.escape(package.version)}\b.*$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    if not heading or not re.search(r"\d{4}-\d\d-\d\d", heading[0]):
        raise Stop(f"the heading of version {package.version} in CHANGELOG.md has no date")
