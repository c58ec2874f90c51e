"""What Cargo.toml and packaging/repository say about the package."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
LICENSES = ["LICENSE-APACHE", "LICENSE-MIT"]


@dataclass(frozen=True)
class Package:
    """The metadata that all channels share."""

    version: str
    description: str
    license: str
    keywords: list[str]
    # None until the project has a public home.
    repository: str | None


def read_package():
    """Reads the metadata. The lines of Cargo.toml are simple, and Python 3.10 has no TOML parser."""
    text = (ROOT / "Cargo.toml").read_text()

    def find(key):
        return re.search(rf"^{key} = (.*)$", text, re.MULTILINE)[1]

    repository = (ROOT / "packaging/repository").read_text().strip()
    return Package(
        version=find("version").strip('"'),
        description=find("description").strip('"'),
        license=find("license").strip('"'),
        keywords=re.findall(r'"(.*?)"', find("keywords")),
        repository=None if repository == "unset" else repository,
    )
