"""The command line of a job."""

import pytest

from sundown_spark.arguments import (
    ENDINGS,
    MOST_IN_MEMORY,
    REPORT_OPTIONS,
    hashes_callers,
    parse,
    parse_size,
    select,
)


def test_arguments_after_the_dashes_are_those_of_the_program() -> None:
    options = parse("usage", ["--input", "a", "b", "--input", "c", "--output", "o", "--", "--by", "user-agent", "--rules", "r"])
    assert options.inputs == ["a", "b", "c"]
    assert options.scan == ["--by", "user-agent", "--rules", "r"]
    assert options.formats == ["human", "json"]


@pytest.mark.parametrize(
    ("scan", "message"),
    [
        (["--format", "json"], "use the --format of the job"),
        (["--partial=x"], "always written"),
        (["--caller-key-file", "k"], "the driver reads it"),
        (["--threads=4"], "spark.task.cpus"),
    ],
)
def test_what_the_job_sets_itself_is_refused(scan: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parse("usage", ["--input", "a", "--output", "o", "--", *scan])
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_a_key_without_callers_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse("usage", ["--input", "a", "--output", "o", "--caller-key-file", "k"])
    assert "--by" in capsys.readouterr().err


def test_a_report_gets_its_options_of_the_scan() -> None:
    scan = ["--quiet-days", "3", "--by=file", "--gate", "--as-of", "2026-11-20", "--rules", "r", "--strict"]
    report = select(scan, *REPORT_OPTIONS["usage"])
    assert report == ["--quiet-days", "3", "--gate", "--as-of", "2026-11-20", "--strict"]
    assert select(["--rules", "r", "--role=client", "-q"], *REPORT_OPTIONS["check"]) == ["--rules", "r", "-q"]


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


@pytest.mark.parametrize("command", ENDINGS)
def test_each_command_has_report_options_and_files_of_its_own_for_each_format(command: str) -> None:
    assert REPORT_OPTIONS[command]
    assert len(set(ENDINGS[command].values())) == len(ENDINGS[command])


def test_sizes_have_units() -> None:
    assert [parse_size(text) for text in ["7", "2K", "128m", "1G"]] == [7, 2048, 128 << 20, 1 << 30]
    for text in ["", "x", "1T", "-1M", "0", "M"]:
        with pytest.raises(Exception, match="sizes look like"):
            parse_size(text)
    options = parse("usage", ["--input", "a", "--output", "o", "--whole-limit", "8G"])
    assert options.whole_limit == MOST_IN_MEMORY
