"""Makes the npm packages: one with the program for each platform, and `sundown-lint`, which runs it.

The packages are written as `npm pack` writes them, with the same bytes for every version of npm.
"""

import json

from .package import LICENSES, ROOT
from .platforms import PLATFORMS
from .tar_gz import write_tar_gz

SOURCES = ROOT / "packaging/npm"
MAIN = "sundown-lint"
# The time of all files in packages that npm writes.
TIME = 499162500


def make_platform_package(folder, package, platform, program):
    """Writes the package that has the program for a platform."""
    manifest = shared_manifest(package, platform.npm_name, f"The program of {MAIN} for {platform.os} on {platform.cpu}")
    manifest |= {"os": [platform.os], "cpu": [platform.cpu]}
    if platform.libc:
        manifest["libc"] = [platform.libc]
    # Yarn must unpack it: a program cannot be run from a zip archive.
    manifest |= {"preferUnplugged": True, "files": [platform.program]}
    readme = f"# {platform.npm_name}\n\nThe program of `{MAIN}` for this platform. Install `{MAIN}`, which depends on it.\n"
    write(folder, package, manifest, {platform.program: (program, True), "README.md": (readme.encode(), False)})


def make_main_package(folder, package):
    """Writes the package that people install."""
    manifest = shared_manifest(package, MAIN, package.description)
    manifest |= {
        "keywords": package.keywords,
        "bin": {"sundown": "bin/sundown.js"},
        "type": "commonjs",
        "files": ["bin", "platforms.json"],
        "engines": {"node": ">=16"},
        "optionalDependencies": {platform.npm_name: package.version for platform in PLATFORMS},
    }
    rows = [
        {"name": each.npm_name, "os": each.os, "cpu": each.cpu, "libc": each.libc, "file": each.program}
        for each in PLATFORMS
    ]
    launcher = (SOURCES / "bin/sundown.js").read_bytes()
    write(folder, package, manifest, {
        "bin/sundown.js": (launcher, True),
        "platforms.json": (encode({"platforms": rows}), False),
        "README.md": ((SOURCES / "README.md").read_bytes(), False),
    })


def shared_manifest(package, name, description):
    """The members that all manifests have."""
    manifest = {"name": name, "version": package.version, "description": description, "license": package.license}
    if package.repository:
        manifest["repository"] = {"type": "git", "url": f"git+{package.repository}.git"}
    return manifest


def write(folder, package, manifest, files):
    """Writes a package with its licences."""
    files |= {name: ((ROOT / name).read_bytes(), False) for name in LICENSES}
    files["package.json"] = (encode(manifest), False)
    members = {f"package/{name}": file for name, file in files.items()}
    write_tar_gz(folder / f"{manifest['name']}-{package.version}.tgz", members, TIME)


def encode(value):
    """JSON as npm formats it."""
    return (json.dumps(value, indent=2) + "\n").encode()
