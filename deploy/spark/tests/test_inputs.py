"""What is read how."""

import pytest

from sundown_spark.inputs import (
    InputError,
    InputFile,
    SplitCounts,
    is_hidden,
    line_format,
    make_parts,
    make_plan,
    may_be_cut,
    pack,
    put_whole,
    report_name,
)

MIB = 1 << 20


def file(path: str, size: int = 10, *, is_named: bool = False) -> InputFile:
    return InputFile(path, path, size, is_named, report_name(path, None))


def plan_of(*files: InputFile, log_format: str | None = None, has_cat: bool = False):
    return make_plan(files, lambda _: log_format, split_size=MIB, whole_limit=4 * MIB, whole=["*.whole.log"], has_cat=has_cat)


def test_only_large_logs_are_cut() -> None:
    large, small = file("s3a://b/large.log", 2 * MIB), file("s3a://b/small.log", MIB)
    plan = plan_of(large, small, log_format="ndjson")
    assert plan.logs == [(large, "ndjson")]
    assert plan.remote == [small]
    assert plan_of(large).remote == [large], "a format that cannot be cut is read as a whole"


@pytest.mark.parametrize("ending", ["gz", "GZ", "zst", "xz", "bz2", "br", "zip", "lz4", "snappy"])
def test_compressed_files_are_never_cut(ending: str) -> None:
    assert not may_be_cut(file(f"hdfs://n/a.log.{ending}", 5 * MIB), MIB, [])


def test_the_user_can_forbid_cutting_by_a_glob() -> None:
    assert not may_be_cut(file("hdfs://n/x/a.whole.log", 5 * MIB), MIB, ["*.whole.log"])
    assert not may_be_cut(file("hdfs://n/x/a.log", 5 * MIB), MIB, ["hdfs://n/x/*"])
    assert may_be_cut(file("hdfs://n/y/a.log", 5 * MIB), MIB, ["hdfs://n/x/*"])


def test_files_that_no_memory_holds_need_a_command() -> None:
    large = file("s3a://b/large.har", 5 * MIB)
    with pytest.raises(InputError, match=r"too large.*s3a://b/large\.har.*--cat"):
        plan_of(large)
    assert plan_of(large, has_cat=True).piped == [large]
    empty = file("s3a://b/empty.log", 0)
    assert plan_of(empty).local == [empty], "Spark leaves out empty files"
    local = file("file:/mnt/large.har", 5 * MIB)
    assert plan_of(local).local == [local], "it is opened, and not read into memory"


@pytest.mark.parametrize(
    ("output", "head", "expected"),
    [
        ("a.log: ndjson\n", b"{", "ndjson"),
        ("a: b.log: access-log\n", b"1", "access-log"),
        ("a.log: ndjson, gzip\n", b"\x1f\x8b", None),
        ("a.log: har\n", b"{", None),
        ("a.log: none: not in a format that sundown reads\n", b"x", None),
        ("", b"", None),
        ("a.log: ndjson\n", b"\xef\xbb\xbf{", None),
    ],
)
def test_only_formats_of_lines_can_be_cut(output: str, head: bytes, expected: str | None) -> None:
    assert line_format(output, head) == expected


def test_files_of_other_programs_in_folders_are_hidden() -> None:
    root = "hdfs://n/.in/_put"
    assert not is_hidden(f"{root}/a/b.log", root)
    for path in ["_SUCCESS", ".a.log.crc", "_temporary/0/a.log", "a/.git/b", "node_modules/x.json"]:
        assert is_hidden(f"{root}/{path}", root)


def test_names_are_addresses_without_passwords_or_below_the_base() -> None:
    assert report_name("s3a://key:secret@bucket/a.log", None) == "s3a://key@bucket/a.log"
    assert report_name("abfss://box@account.dfs.core.windows.net/a", None) == "abfss://box@account.dfs.core.windows.net/a"
    assert report_name("file:/data/a.log", None) == "/data/a.log"
    assert report_name("file:///data/a.log", None) == "/data/a.log"
    assert report_name("hdfs://n/in/x/a.log", "hdfs://n/in") == "x/a.log"
    assert report_name("hdfs://n/inner/a.log", "hdfs://n/in/") == "hdfs://n/inner/a.log"


def test_parts_follow_each_other_without_a_gap() -> None:
    splits = [SplitCounts(64, 30, 3, 2), SplitCounts(0, 70, 7, 6), SplitCounts(128, 20, 2, 2)]
    found = make_parts(file("hdfs://n/a", 120), "ndjson", splits)
    assert found is not None
    assert [(start, part.position) for start, part in found] == [(0, (0, 0, 0)), (64, (70, 7, 6)), (128, (100, 10, 8))]
    assert all(part.is_ended for _, part in found)
    assert found[1][1].scan_arguments() == [
        "--stdin-filename=hdfs://n/a",
        "--stdin-size=120",
        "--skip-unrelated",
        "--input-format=ndjson",
        "--stdin-position=70:7:6",
    ]


def test_only_the_last_line_of_a_file_may_lack_a_line_feed() -> None:
    splits = [SplitCounts(0, 70, 7, 7), SplitCounts(64, 51, 5, 5)]
    found = make_parts(file("hdfs://n/a", 120), "ndjson", splits)
    assert found is not None
    assert [part.is_ended for _, part in found] == [True, False]


def test_a_last_part_without_a_line_above_its_last_is_not_cut_off_from_it() -> None:
    splits = [SplitCounts(0, 100, 7, 7), SplitCounts(64, 21, 1, 1)]
    assert make_parts(file("hdfs://n/a", 120), "access-log", splits) is None
    plan = plan_of(file("hdfs://n/a.log", 2 * MIB), log_format="access-log")
    log = plan.logs[0][0]
    put_whole(plan, log, whole_limit=4 * MIB, has_cat=False)
    assert (plan.logs, plan.remote) == ([], [log])


def test_a_log_that_cannot_be_cut_at_its_end_is_read_like_other_whole_files() -> None:
    plan = plan_of(file("hdfs://n/a.log", 5 * MIB), log_format="access-log", has_cat=True)
    log = plan.logs[0][0]
    put_whole(plan, log, whole_limit=4 * MIB, has_cat=True)
    assert (plan.logs, plan.piped) == ([], [log])
    plan = plan_of(log, log_format="access-log")
    with pytest.raises(InputError, match=r"a\.log ends without a line feed.*--split-size"):
        put_whole(plan, log, whole_limit=4 * MIB, has_cat=False)


def test_a_file_that_changes_while_it_is_read_is_an_error() -> None:
    for splits in [[SplitCounts(0, 122, 7, 7)], []]:
        with pytest.raises(InputError, match="was changed"):
            make_parts(file("hdfs://n/a", 120), "ndjson", splits)


def test_small_files_share_tasks_and_none_is_lost() -> None:
    files = [file(f"file:/{number}", size) for number, size in enumerate([9 * MIB, 100, 2 * MIB, 0, MIB, 100])]
    bins = pack(files, 4 * MIB)
    assert sorted(found.path for one in bins for found in one) == sorted(found.path for found in files)
    assert bins[0] == [files[0]]
    assert all(sum(found.size + MIB for found in one) <= 4 * MIB for one in bins[1:])


def test_a_named_file_is_expected_to_have_something_to_check() -> None:
    assert "--skip-unrelated" not in file("file:/a", is_named=True).scan_arguments()
    assert "--skip-unrelated" in file("file:/a").scan_arguments()
