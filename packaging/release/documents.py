"""Makes the files of a release that no platform differs in: the list of components, and the release notes."""

import json
import re
import shlex

from .build import CYCLONEDX, RUST, require
from .package import ROOT
from .process import Stop, run

INSTALL_SCRIPT = "install.sh"


def write_components(folder, package, environment):
    """Writes the components of the program as CycloneDX (SBOM)."""
    require(CYCLONEDX)
    # The tool writes next to the Cargo.toml of each package, whatever it is asked.
    name = f".sundown-{package.version}"
    made = ROOT / f"{name}.json"
    try:
        run("cargo", "cyclonedx", "--format", "json", "--spec-version", "1.5", "--all", "--target", "all",
            "--override-filename", name, "--quiet", environment=environment)
        text = made.read_text(encoding="utf-8")
    finally:
        for path in [made, *ROOT.glob(f"crates/*/{name}.json")]:
            path.unlink(missing_ok=True)
    # The path of the checkout is part of the identifiers. The name of the package is there only if the folder has another one.
    checkout = f"path+{ROOT.as_uri()}"
    text = text.replace(f"{checkout}#sundown@", f"{checkout}#").replace(checkout, "path+file:///sundown")
    value = json.loads(text)
    value.pop("serialNumber", None)
    (folder / f"sundown-{package.version}.cdx.json").write_text(json.dumps(value, indent=1, sort_keys=True) + "\n", newline="\n")


def write_install_script(folder, package):
    """Writes install.sh with the address of the repository, so that it works outside of a checkout."""
    text = (ROOT / INSTALL_SCRIPT).read_text(encoding="utf-8")
    before, line, after = text.partition("\nrepository=\n")
    if not line:
        raise Stop(f"{INSTALL_SCRIPT} has no line for the address of the repository")
    path = folder / INSTALL_SCRIPT
    path.write_text(f"{before}\nrepository={shlex.quote(package.repository or '')}\n{after}", encoding="utf-8", newline="\n")
    path.chmod(0o755)


def write_notes(folder, package):
    """Writes the section of the changelog, and how to verify the files."""
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    section = re.search(rf"^## {re.escape(package.version)}\b.*?\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    if not section:
        raise Stop(f"CHANGELOG.md has no section for version {package.version}")
    verify = (
        "### Verifying the files\n\n"
        "`SHA256SUMS` has the SHA-256 of each file: `sha256sum --check --ignore-missing SHA256SUMS`. "
        f"`sundown-{package.version}.cdx.json` lists the components (CycloneDX), and the program contains the list for "
        "`cargo audit bin`. All packages for a platform contain the same program. "
        f"`scripts/release` makes the same files again, with Rust {RUST.version}.\n"
    )
    text = f"{section[1].strip()}\n\n{verify}"
    (folder / f"sundown-{package.version}-notes.md").write_text(text, encoding="utf-8", newline="\n")
