"""The command line of a job, and how the program is found, fed and judged."""

import json
import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from sundown_spark.arguments import GATE_OPTIONS, MOST_IN_MEMORY, REPORT_OPTIONS, hashes_callers, parse, parse_size, select
from sundown_spark.program import Finished, Program, SundownError, describe_end, find_program, is_whole
from sundown_spark.rows import COLUMNS, rows_of
from sundown_spark.tasks import RESULTS, merge, report_name

PARTIAL = b'{"sundown_partial":1}\n{"end":{"lines":1,"sha256":"0"}}\n'
END = RESULTS["usage"][1]


def script(folder: Path, text: str) -> Program:
    path = folder / "sundown"
    path.write_text(f"#!/bin/bash\n{text}\n")
    path.chmod(0o755)
    return Program(str(path), str(folder), b"secret-secret-secret")


def test_arguments_after_the_dashes_are_those_of_the_program() -> None:
    options = parse("usage", ["--input", "a", "b", "--input", "c", "--output", "o", "--", "--by", "user-agent", "--rules", "r"])
    assert options.inputs == ["a", "b", "c"]
    assert options.scan == ["--by", "user-agent", "--rules", "r"]
    assert options.formats == ["human", "json"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--", "--format", "json"], "use the --format of the job"),
        (["--", "--partial=x"], "always written"),
        (["--", "--caller-key-file", "k"], "the driver reads it"),
        (["--", "--threads=4"], "spark.task.cpus"),
        (["--caller-key-file", "k"], "--by"),
    ],
)
def test_what_the_job_does_not_take_is_refused(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parse("usage", ["--input", "a", "--output", "o", *arguments])
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_rows_are_written_in_one_format_and_only_where_the_user_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert parse("check", ["--input", "a"]).output is None
    assert parse("check", ["--input", "a", "--output", "o"]).formats == ["parquet"]
    assert parse("check", ["--input", "a", "--output", "o", "--format", "json"]).formats == ["json"]
    with pytest.raises(SystemExit):
        parse("check", ["--input", "a", "--format", "json"])
    assert "without --output" in capsys.readouterr().err


def test_a_report_and_a_gate_get_their_options_of_the_scan() -> None:
    scan = ["--quiet-days", "3", "--by=file", "--gate", "--as-of", "2026-11-20", "--rules", "r", "--strict"]
    assert select(scan, *REPORT_OPTIONS) == ["--quiet-days", "3", "--gate", "--as-of", "2026-11-20", "--strict"]
    scan = ["--rules", "r", "--fail-on=note", "--role=client", "--config", "c", "--strict=false"]
    assert select(scan, *GATE_OPTIONS) == ["--fail-on=note", "--config", "c", "--strict=false"]


@pytest.mark.parametrize(
    ("scan", "expected"),
    [
        (["--by", "header:x-team"], True),
        (["--by", "file", "--by=member:/team"], True),
        (["--by", "header:x-team", "--show-callers"], False),
        (["--by", "user-agent", "--by=initiator"], False),
        (["--rule", "header:x"], False),
        ([], False),
    ],
)
def test_only_hashes_take_a_secret(scan: list[str], expected: bool) -> None:
    assert hashes_callers(scan) is expected


def test_sizes_have_units() -> None:
    assert [parse_size(text) for text in ["7", "2K", "128m", "1G"]] == [7, 2048, 128 << 20, 1 << 30]
    for text in ["", "x", "1T", "-1M", "0", "M"]:
        with pytest.raises(Exception, match="sizes look like"):
            parse_size(text)
    assert parse("check", ["--input", "a", "--whole-limit", "8G"]).whole_limit == MOST_IN_MEMORY


def test_names_are_addresses_without_passwords_or_below_the_base() -> None:
    assert report_name("s3a://key:secret@bucket/a.log", None) == "s3a://key@bucket/a.log"
    assert report_name("abfss://box@account.dfs.core.windows.net/a", None) == "abfss://box@account.dfs.core.windows.net/a"
    assert report_name("file:/data/a.log", None) == "/data/a.log"
    assert report_name("file:///data/x/a.log", "/data/") == "x/a.log"
    assert report_name("hdfs://n/in/x/a.log", "hdfs://n/in") == "x/a.log"
    assert report_name("hdfs://n/inner/a.log", "hdfs://n/in/") == "hdfs://n/inner/a.log"


def test_a_row_for_each_finding_and_one_for_the_object() -> None:
    finding = {"type": "finding", "rule": "old", "severity": "error", "file": "a.log", "line": 3, "element": {"kind": "field"}}
    known = finding | {"type": "suppressed", "suppressed_by": "baseline"}
    skipped = {"type": "skipped", "file": "a.log", "kind": "failed", "reason": "truncated", "count": 2, "bytes": 9, "help": "copy"}
    summary = {"type": "summary", "schema_version": 2, "records": 7, "errors": 1, "bytes": 900, "no_rule": 0}
    lines = [json.dumps(line) for line in [finding, known, skipped, {"type": "remark"}, summary]]
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in rows_of("a.log", Finished(2, "\n".join([*lines, ""]).encode(), ""))]
    assert [row["type"] for row in rows] == ["finding", "suppressed", "object"]
    assert (rows[0]["rule"], rows[0]["line"], rows[0]["json"]) == ("old", 3, lines[0])
    assert rows[1]["suppressed_by"] == "baseline"
    assert (rows[2]["file"], rows[2]["exit_code"], rows[2]["records"], rows[2]["unread"]) == ("a.log", 2, 7, 0)
    assert rows[2]["skipped"] == [("failed", "truncated", None, 2, 9, None, None)]
    assert (rows[2]["rule"], rows[2]["json"]) == (None, lines[4])


def test_neither_side_waits_for_the_other(tmp_path: Path) -> None:
    for text in [
        "head -c 20000000 /dev/zero; head -c 2000000 /dev/zero >&2; cat | wc -c >&2",
        "sleep 0.3; cat; head -c 1 /dev/zero",
    ]:
        done = threading.Event()
        threading.Timer(20, lambda done=done: done.is_set() or os._exit(3)).start()
        assert len(script(tmp_path, text).run(["check"], [b"x" * (1 << 20)] * 20).output) >= 20_000_000
        done.set()


def test_a_program_may_end_before_its_input_does(tmp_path: Path) -> None:
    program = script(tmp_path, f"head -c 10 >/dev/null; printf '%s' '{PARTIAL.decode()}'; exit 2")
    assert program.run_whole(["usage"], END, [b"x" * (1 << 20)] * 64, "a.txt").output == PARTIAL


@pytest.mark.parametrize("code", [0, 1, 2])
def test_a_whole_output_is_a_result_with_each_exit_code_of_a_scan(tmp_path: Path, code: int) -> None:
    program = script(tmp_path, f"cat >/dev/null; printf '%s' '{PARTIAL.decode()}'; exit {code}")
    assert program.run_whole(["usage"], END, [b"{}\n"], "a.log") == Finished(code, PARTIAL, "")


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
        script(tmp_path, text).run_whole(["usage"], END, [b"{}\n"], "a.log")


def test_no_process_is_left_when_the_input_fails(tmp_path: Path) -> None:
    def broken() -> Iterator[bytes]:
        yield b"x"
        raise OSError("the connection was lost")

    program = script(tmp_path, "echo $$ >pid; cat >/dev/null; sleep 60")
    with pytest.raises(OSError, match="connection"):
        program.run(["check"], broken())
    process = int((tmp_path / "pid").read_text()) if (tmp_path / "pid").exists() else None
    assert process is None or not Path(f"/proc/{process}").exists()


def test_the_secret_is_in_no_list_of_processes_and_on_no_disk(tmp_path: Path) -> None:
    text = 'for a in "$@"; do case $a in --caller-key-file=*) cat "${a#*=}" | md5sum;; esac; done; tr "\\0" " " </proc/$$/cmdline'
    program = script(tmp_path, text)
    output = program.run(["usage"]).output.decode()
    expected = subprocess.run(["md5sum"], input=b"secret-secret-secret", capture_output=True, check=True).stdout.decode()
    assert expected in output
    assert "secret-secret" not in output
    assert not [path for path in tmp_path.iterdir() if b"secret-secret" in path.read_bytes()]
    assert expected not in program.run(["merge"]).output.decode(), "a merge takes no secret"


def test_an_output_is_whole_with_its_last_line() -> None:
    assert is_whole(PARTIAL, END)
    assert is_whole(b'{"type":"finding"}\n{"type":"summary","files":1}\n', RESULTS["check"][1])
    for text in [b"", b"\n", PARTIAL[:-1], PARTIAL[:30], PARTIAL + b"x\n", b"error\n"]:
        assert not is_whole(text, END)


def test_the_end_by_a_signal_is_named() -> None:
    assert "SIGTERM" in describe_end(Finished(-15, b"", ""))


def test_a_program_that_is_missing_or_cannot_run_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SundownError, match="send it with --sundown FILE"):
        find_program(None)
    on_path = script(tmp_path / "bin", "exit 0").path
    assert find_program(None) == on_path
    beside = script(tmp_path, "exit 0").path
    assert find_program(None) == beside
    assert find_program(on_path) == on_path
    Path(beside).chmod(0o644)
    with pytest.raises(SundownError, match=r"cannot be run on .*: Permission denied"):
        Program(beside, str(tmp_path)).run(["--version"])


def test_all_partials_reach_the_program_that_merges_them_and_one_is_its_own_sum(tmp_path: Path) -> None:
    assert list(merge(script(tmp_path, "exit 9"), [])) == []
    assert list(merge(script(tmp_path, "exit 9"), [PARTIAL])) == [PARTIAL]
    with pytest.raises(SundownError, match="merging"):
        list(merge(script(tmp_path, "exit 9"), [PARTIAL, PARTIAL]))
    program = script(tmp_path, f"""test "$*" = 'merge - --partial -' && cat >seen; printf '%s' '{PARTIAL.decode()}'""")
    assert list(merge(program, [PARTIAL] * 1000)) == [PARTIAL]
    assert (tmp_path / "seen").read_bytes() == PARTIAL * 1000
