"""Writes archives whose bytes depend on their content and the release's time alone."""

import gzip
import io
import tarfile


def write_tar_gz(path, members, time):
    """Writes a file. `members` maps each name inside the archive to its content; of `executable` names, the mode differs."""
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
            for name, (content, is_executable) in sorted(members.items()):
                member = tarfile.TarInfo(name)
                member.size = len(content)
                member.mtime = time
                member.mode = 0o755 if is_executable else 0o644
                tar.addfile(member, io.BytesIO(content))
