"""Makes the wheel of a platform: the program, and the Python package that can run it.

maturin would compile the program again. This wheel contains the bytes of the archive.
"""

import base64
import hashlib
import time
import zipfile

from .package import LICENSES, ROOT

SOURCES = ROOT / "packaging/pypi"


def make_wheel(folder, package, platform, program, epoch):
    """Writes the wheel into a folder."""
    tag = f"py3-none-{platform.wheel_tag(program)}"
    info = f"sundown-{package.version}.dist-info"
    files = {f"sundown/{path.name}": path.read_bytes() for path in sorted((SOURCES / "sundown").glob("*.py"))}
    files[f"sundown-{package.version}.data/scripts/{platform.program}"] = program
    files |= {f"{info}/licenses/{name}": (ROOT / name).read_bytes() for name in LICENSES}
    files[f"{info}/METADATA"] = metadata(package).encode()
    files[f"{info}/WHEEL"] = wheel_file(tag).encode()
    record = "".join(f"{name},sha256={digest(content)},{len(content)}\n" for name, content in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    # A zip archive has no times before 1980.
    moment = max(time.gmtime(epoch)[:6], (1980, 1, 1, 0, 0, 0))
    with zipfile.ZipFile(folder / f"sundown-{package.version}-{tag}.whl", "w") as wheel:
        for name, content in files.items():
            member = zipfile.ZipInfo(name, moment)
            member.create_system = 3
            member.external_attr = (0o100755 if content is program else 0o100644) << 16
            wheel.writestr(member, content, zipfile.ZIP_DEFLATED, 9)


def metadata(package):
    """The core metadata, version 2.4."""
    lines = [
        "Metadata-Version: 2.4",
        "Name: sundown",
        f"Version: {package.version}",
        f"Summary: {package.description}",
        f"Keywords: {','.join(package.keywords)}",
        f"License-Expression: {package.license}",
        *(f"License-File: {name}" for name in LICENSES),
        "Classifier: Development Status :: 4 - Beta",
        "Classifier: Environment :: Console",
        "Classifier: Intended Audience :: Developers",
        "Classifier: Programming Language :: Rust",
        "Classifier: Topic :: Software Development :: Quality Assurance",
        "Requires-Python: >=3.8",
        *([f"Project-URL: Source, {package.repository}"] if package.repository else []),
        "Description-Content-Type: text/markdown; charset=UTF-8; variant=GFM",
    ]
    return "\n".join(lines) + "\n\n" + (SOURCES / "README.md").read_text(encoding="utf-8")


def wheel_file(tag):
    """The file WHEEL. It names each combination of a tag that the file name compresses."""
    interpreter, abi, platforms = tag.split("-")
    tags = "".join(f"Tag: {interpreter}-{abi}-{platform}\n" for platform in platforms.split("."))
    return f"Wheel-Version: 1.0\nGenerator: sundown scripts/release\nRoot-Is-Purelib: false\n{tags}"


def digest(content):
    """The SHA-256 as RECORD writes it."""
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
