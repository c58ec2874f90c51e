#!/usr/bin/env python3
"""Serves the npm packages of a release folder as a registry on this machine, for tests. A package that is not in the folder
does not exist.

Usage: packaging/npm/registry.py RELEASE_FOLDER PORT_FILE
"""

import base64
import hashlib
import http.server
import json
import sys
import tarfile
from pathlib import Path


def main(folder, port_file):
    packages = dict(read_package(path) for path in Path(folder).glob("*.tgz"))

    class Registry(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            name, _, file = self.path[1:].partition("/-/")
            manifest, content = packages.get(name, (None, None))
            if file:
                self.answer(content)
            else:
                self.answer(manifest and describe(manifest, content, f"http://{self.headers['Host']}/{name}/-/package.tgz"))

        def answer(self, body):
            self.send_response(404 if body is None else 200)
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Registry)
    Path(port_file).write_text(str(server.server_port))
    server.serve_forever()


def read_package(path):
    """The name of a package, and its manifest and bytes."""
    with tarfile.open(path) as archive:
        manifest = json.load(archive.extractfile("package/package.json"))
    return manifest["name"], (manifest, path.read_bytes())


def describe(manifest, content, address):
    """What a registry answers for a package with one version."""
    integrity = "sha512-" + base64.b64encode(hashlib.sha512(content).digest()).decode()
    version = manifest["version"]
    return json.dumps({
        "name": manifest["name"],
        "dist-tags": {"latest": version},
        "versions": {version: manifest | {"dist": {"tarball": address, "integrity": integrity}}},
    }).encode()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
