"""What is read how."""

import pytest

from sundown_spark.inputs import InputError, InputFile, is_hidden, make_plan, pack, report_name

MIB = 1 << 20


def file(path: str, size: int = 10, *, is_named: bool = False) -> InputFile:
    return InputFile(path, size, is_named, report_name(path, None))


def plan_of(*files: InputFile, has_cat: bool = False):
    return make_plan(files, whole_limit=4 * MIB, has_cat=has_cat)


def test_files_that_no_memory_holds_need_a_command() -> None:
    large = file("s3a://b/large.har", 5 * MIB)
    with pytest.raises(InputError, match=r"too large.*s3a://b/large\.har.*--cat"):
        plan_of(large)
    assert plan_of(large, has_cat=True).piped == [large]
    small = file("s3a://b/small.har", 4 * MIB)
    assert plan_of(small).remote == [small]
    empty = file("s3a://b/empty.log", 0)
    assert plan_of(empty).local == [empty], "Spark leaves out empty files"
    local = file("file:/mnt/large.har", 5 * MIB)
    assert plan_of(local).local == [local], "it is opened, and not read into memory"


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


def test_small_files_share_tasks_and_none_is_lost() -> None:
    files = [file(f"file:/{number}", size) for number, size in enumerate([9 * MIB, 100, 2 * MIB, 0, MIB, 100])]
    bins = pack(files, 4 * MIB)
    assert sorted(found.path for one in bins for found in one) == sorted(found.path for found in files)
    assert bins[0] == [files[0]]
    assert all(sum(found.size + MIB for found in one) <= 4 * MIB for one in bins[1:])


def test_a_named_file_is_expected_to_have_something_to_check() -> None:
    assert "--skip-unrelated" not in file("file:/a", is_named=True).scan_arguments()
    assert "--skip-unrelated" in file("file:/a").scan_arguments()
