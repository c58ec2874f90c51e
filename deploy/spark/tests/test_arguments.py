"""The command line of a job."""

import pytest

from sundown_spark.arguments import MOST_IN_MEMORY, REPORT_OPTIONS, SHARED_OPTIONS, parse, parse_size, select


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


def test_options_of_the_report_are_not_those_of_the_scan() -> None:
    scan = ["--quiet-days", "3", "--by=file", "--gate", "--min-share=2", "--as-of", "2026-11-20", "--rules", "r", "--strict"]
    report, rest = select(scan, *REPORT_OPTIONS["usage"])
    assert report == ["--quiet-days", "3", "--gate", "--min-share=2", "--as-of", "2026-11-20", "--strict"]
    assert rest == ["--by=file", "--rules", "r"]
    assert select(report, *SHARED_OPTIONS)[0] == ["--as-of", "2026-11-20", "--strict"]


def test_sizes_have_units() -> None:
    assert [parse_size(text) for text in ["7", "2K", "128m", "1G"]] == [7, 2048, 128 << 20, 1 << 30]
    for text in ["", "x", "1T", "-1M", "0", "M"]:
        with pytest.raises(Exception, match="sizes look like"):
            parse_size(text)
    options = parse("usage", ["--input", "a", "--output", "o", "--whole-limit", "8G"])
    assert options.whole_limit == MOST_IN_MEMORY
