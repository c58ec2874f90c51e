"""How the program is found, fed and judged."""

import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from sundown_spark.program import Finished, Program, SundownError, describe_end, elf_machine, find_program, is_whole_partial
from sundown_spark.tasks import PIECE, Kit, Merger, pieces_of, zip_folder

PARTIAL = b'{"sundown_partial":1}\n{"end":{"lines":1,"sha256":"0"}}\n'


def script(folder: Path, text: str) -> Program:
    path = folder / "sundown"
    path.write_text(f"#!/bin/bash\n{text}\n")
    path.chmod(0o755)
    return Program(str(path), str(folder), b"secret-secret-secret")


def many() -> Iterator[bytes]:
    for _ in range(64):
        yield b"x" * PIECE


def test_neither_side_waits_for_the_other(tmp_path: Path) -> None:
    program = script(tmp_path, "head -c 20000000 /dev/zero; head -c 2000000 /dev/zero >&2; cat | wc -c >&2")
    finished = program.run([], many())
    assert len(finished.output) == 20_000_000


def test_a_program_may_end_before_its_input_does(tmp_path: Path) -> None:
    program = script(tmp_path, f"head -c 10 >/dev/null; printf '%s' '{PARTIAL.decode()}'; exit 2")
    assert program.run_for_partial([], many(), "a.txt") == PARTIAL


@pytest.mark.parametrize("code", [0, 1, 2])
def test_a_whole_partial_is_a_result_with_each_exit_code_of_a_scan(tmp_path: Path, code: int) -> None:
    program = script(tmp_path, f"cat >/dev/null; printf '%s' '{PARTIAL.decode()}'; exit {code}")
    assert program.run_for_partial([], [b"{}\n"], "a.log") == PARTIAL


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cat >/dev/null; exit 0", r"a\.log: sundown ended with exit code 0 and wrote no result"),
        ("echo 'error: no rule has the id x' >&2; exit 2", "exit code 2 and wrote no result: error: no rule"),
        (f"printf '%s' '{PARTIAL.decode()[:-5]}'; exit 0", "exit code 0"),
        (f"printf '%s' '{PARTIAL.decode()}'; exit 3", "exit code 3"),
        (f"printf '%s' '{PARTIAL.decode()}'; exit 101", "exit code 101"),
        (f"printf '%s' '{PARTIAL.decode()}'; kill -9 $$", "SIGKILL; was the machine out of memory"),
    ],
)
def test_all_else_is_a_failure_of_the_task(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SundownError, match=message):
        script(tmp_path, text).run_for_partial([], [b"{}\n"], "a.log")


def test_no_process_is_left_when_the_input_fails(tmp_path: Path) -> None:
    def broken() -> Iterator[bytes]:
        yield b"x"
        raise OSError("the connection was lost")

    program = script(tmp_path, "echo $$ >pid; cat >/dev/null; sleep 60")
    with pytest.raises(OSError, match="connection"):
        program.run([], broken())
    process = int((tmp_path / "pid").read_text()) if (tmp_path / "pid").exists() else None
    assert process is None or not Path(f"/proc/{process}").exists()


def test_the_secret_is_in_no_list_of_processes_and_on_no_disk(tmp_path: Path) -> None:
    text = 'for a in "$@"; do case $a in --caller-key-file=*) cat "${a#*=}" | md5sum;; esac; done; tr "\\0" " " </proc/$$/cmdline'
    program = script(tmp_path, text)
    output = program.run(["usage"], keyed=True).output.decode()
    expected = subprocess.run(["md5sum"], input=b"secret-secret-secret", capture_output=True, check=True).stdout.decode()
    assert expected in output
    assert "secret-secret" not in output
    assert not [path for path in tmp_path.iterdir() if b"secret-secret" in path.read_bytes()]


def test_a_partial_ends_with_its_last_line() -> None:
    assert is_whole_partial(PARTIAL)
    for text in [b"", b"\n", PARTIAL[:-1], PARTIAL[:30], PARTIAL + b"x\n", b"error\n"]:
        assert not is_whole_partial(text)


def test_messages_are_short_and_name_the_end() -> None:
    assert describe_end(Finished(1, b"x", "")) == "ended with exit code 1"
    assert "SIGTERM" in describe_end(Finished(-15, b"", ""))


def test_a_missing_program_is_an_error_with_a_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SundownError, match="send it with --sundown FILE"):
        find_program(None, str(tmp_path))


def test_a_program_in_the_working_folder_or_on_the_path_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    on_path = script(tmp_path / "bin", "echo sundown 1.0").path
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    assert find_program(None, str(tmp_path)) == on_path
    beside = script(tmp_path, "echo sundown 1.0").path
    assert find_program(None, str(tmp_path)) == beside
    assert find_program(on_path, str(tmp_path)) == on_path


def test_another_program_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SundownError, match="is not the program sundown"):
        find_program(script(tmp_path, "echo other 1.0").path, str(tmp_path))


@pytest.mark.parametrize(
    ("machine", "mode", "message"),
    [
        (0xF3, 0o755, "cannot be run"),
        (0xB7 if os.uname().machine == "x86_64" else 0x3E, 0o755, "it is built for"),
        (0x3E if os.uname().machine == "x86_64" else 0xB7, 0o644, "mounted with `noexec`"),
    ],
)
def test_a_program_that_cannot_run_here_is_an_error_with_a_reason(tmp_path: Path, machine: int, mode: int, message: str) -> None:
    path = tmp_path / "sundown"
    path.write_bytes(b"\x7fELF\2\1\1" + b"\0" * 9 + b"\2\0" + machine.to_bytes(2, "little") + b"\0" * 100)
    path.chmod(mode)
    with pytest.raises(SundownError, match=message):
        find_program(str(path), str(tmp_path))
    assert elf_machine(str(tmp_path)) is None


def test_a_missing_loader_is_told_from_a_missing_file(tmp_path: Path) -> None:
    path = tmp_path / "sundown"
    path.write_text("#!/no/such/loader\n")
    path.chmod(0o755)
    with pytest.raises(SundownError, match="static program"):
        find_program(str(path), str(tmp_path))


@pytest.mark.parametrize("size", [0, 1, PIECE, PIECE + 1, 3 * PIECE])
def test_contents_are_passed_on_as_they_were(size: int) -> None:
    content = bytes(range(251)) * (size // 251 + 1)
    pieces = list(pieces_of(memoryview(content[:size])))
    assert b"".join(pieces) == content[:size]
    assert all(len(piece) <= PIECE for piece in pieces)


def test_one_partial_is_its_own_sum_and_none_is_nothing(tmp_path: Path) -> None:
    merger = Merger(script(tmp_path, "exit 9"))
    assert list(merger.merge([])) == []
    assert list(merger.merge([PARTIAL])) == [PARTIAL]
    with pytest.raises(SundownError, match="merging"):
        list(merger.merge([PARTIAL, PARTIAL]))


def test_all_partials_reach_the_program_that_merges_them(tmp_path: Path) -> None:
    program = script(tmp_path, f"""test "$*" = 'merge - --partial -' && cat >seen; printf '%s' '{PARTIAL.decode()}'""")
    assert list(Merger(program).merge([PARTIAL] * 1000)) == [PARTIAL]
    assert (tmp_path / "seen").read_bytes() == PARTIAL * 1000


def test_a_project_is_packed_without_what_is_not_for_this_tool(tmp_path: Path) -> None:
    for name in ["sundown.toml", "rules/a.toml", ".git/config", "node_modules/a.json"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x" * 1000)
    kit = Kit("usage", [], "sundown", zip_folder(str(tmp_path)), None, None)
    assert kit.project is not None
    with pytest.raises(SundownError, match="--project"):
        zip_folder(str(tmp_path), most=1500)


def test_waiting_for_a_slow_reader_is_no_deadlock(tmp_path: Path) -> None:
    program = script(tmp_path, "sleep 0.3; cat >/dev/null; head -c 5000000 /dev/zero")
    done = threading.Event()
    threading.Timer(20, lambda: done.is_set() or os._exit(3)).start()
    assert len(program.run([], many()).output) == 5_000_000
    done.set()
