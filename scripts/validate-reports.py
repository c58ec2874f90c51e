"""Generates traffic, and reads the reports about it with other libraries (called by validate-reports.sh)."""

import html.parser
import json
import pathlib
import sys

NAMES = ("captures", "hostile", "many", "nothing", "suggestions")


def traffic(folder):
    keys = json.loads(pathlib.Path("testdata/reports/hostile-keys.json").read_text())
    keys.append("%0A::error::" + "k" * 1_000_000)
    exchange = lambda body: json.dumps({"method": "POST", "url": "/x", "body": body}) + "\n"
    files = {
        "hostile/a.ndjson": "".join(exchange({key: {"old": 1}}) for key in keys),
        "hostile/::error::[x](y)##[z] <b>,é%0A.ndjson": exchange({"old": 1}) + '{"method": "POST", "url": "/x", "body": {',
        "many/a.ndjson": "".join(exchange({str(number): {"old": 1}}) for number in range(30_000)),
        "suggestions/é [1].http": "POST https://a.example/x\r\n\r\n" + json.dumps({key: {"old": 1} for key in keys[:20]}, ensure_ascii=False, indent=1),
        "nothing/a.ndjson": '{"method": "POST", "url": "/rest/api/v1/chat", "body": {}}\n',
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


def junit(folder, name, report):
    from lxml import etree

    schema = junit_schema(folder)
    document = etree.parse(folder / f"{name}.junit")
    schema.assertValid(document)
    suites = document.getroot()
    cases = suites.findall(".//testcase")
    assert len(cases) == int(suites.get("tests")) and cases
    for suite in suites:
        for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(suite.get(attribute)) == len(suite.findall(f".//{tag}")), suite.get("name")
    assert {element.tag for element in document.iter()} <= {
        "testsuites", "testsuite", "testcase", "failure", "error", "skipped", "system-out"}
    return len(cases)


def junit_schema(folder):
    from lxml import etree

    schema = etree.XMLSchema(etree.parse(folder / "junit-10.xsd"))
    assert not schema.validate(etree.fromstring("<testsuites><testcase/></testsuites>")), "it accepts anything"
    return schema


def checkstyle(folder, name, report):
    from diff_cover.git_path import GitPathTool
    from diff_cover.violationsreporters.java_violations_reporter import CheckstyleXmlDriver
    from lxml import etree

    path = folder / f"{name}.checkstyle"
    root = etree.parse(path).getroot()
    assert {element.tag for element in root.iter()} <= {"checkstyle", "file", "error"}
    files = [file.get("name") for file in root]
    assert root.tag == "checkstyle" and len(set(files)) == len(files)
    for error in root.iter("error"):
        assert set(error.keys()) == {"line", "column", "severity", "message", "source"}
        assert error.get("severity") in ("error", "warning", "info")
    # Another program counts the errors of each file.
    GitPathTool.set_cwd(None)
    driver = CheckstyleXmlDriver()
    count = sum(len(errors) for errors in driver.parse_reports([path.read_text()]).values())
    try:
        driver.parse_reports(["<checkstyle><file name='a'><error/></file></checkstyle>"])
        raise AssertionError("it accepts an error without a line")
    except TypeError:
        pass
    assert count == len(report["findings"]) + len([s for s in report["skipped"] if s["kind"] == "failed"])
    return count


def gitlab(folder, name, report):
    violations = json.loads((folder / f"{name}.gitlab").read_text())
    prints = [violation["fingerprint"] for violation in violations]
    assert len(set(prints)) == len(prints)
    for violation in violations:
        assert set(violation) == {"description", "check_name", "fingerprint", "severity", "location", "engine_name"}
        assert violation["severity"] in ("info", "minor", "major", "critical", "blocker")
        assert violation["location"]["lines"]["begin"] >= 1
        assert not violation["location"]["path"].startswith("./")
    assert len(violations) == len(report["findings"]) + len([s for s in report["skipped"] if s["kind"] == "failed"])
    return len(violations)


class Tags(html.parser.HTMLParser):
    """The tags of a page, and the number of rows in its tables."""

    def __init__(self):
        super().__init__()
        self.tags, self.rows, self.cells = set(), 0, []

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        if tag == "tr":
            self.rows += 1
            self.cells.append(0)
        if tag in ("td", "th"):
            self.cells[-1] += 1


def links(name):
    """The tag of links, where a report may have one: call stacks of recordings name addresses of scripts."""
    return {"a"} if name == "captures" else set()


def markdown(folder, name, report):
    import cmarkgfm

    text = (folder / f"{name}.markdown").read_text()
    assert len(text.encode()) < 1024 * 1024
    reader = Tags()
    # Raw HTML is passed through, so that the check would see it.
    reader.feed(cmarkgfm.github_flavored_markdown_to_html(text, cmarkgfm.cmark.Options.CMARK_OPT_UNSAFE))
    allowed = {"h2", "h3", "p", "table", "thead", "tbody", "tr", "th", "td", "code", "ul", "li"} | links(name)
    assert reader.tags <= allowed, reader.tags - allowed
    assert set(reader.cells) <= {5}, "a cell broke its row"
    left_out = len(report["findings"]) - max(reader.rows - 1, 0)
    assert left_out == 0 or f"{left_out} more findings are left out" in text
    return reader.rows


def comments(folder, name, report):
    import cmarkgfm

    lines = (folder / f"{name}.rdjsonl").read_text().splitlines()
    for line in lines[:1000]:
        reader = Tags()
        options = cmarkgfm.cmark.Options.CMARK_OPT_UNSAFE
        reader.feed(cmarkgfm.github_flavored_markdown_to_html(json.loads(line)["message"], options))
        assert reader.tags <= {"p", "code"} | links(name), line
    return len(lines)


def html_page(folder, name, report):
    # What a browser takes for the text of the element: the rest up to the first end tag.
    text = (folder / f"{name}.html").read_text()
    before, rest = text.split('<script type="application/json" id="report">')
    embedded, after = rest.split("</script>", 1)
    assert json.loads(embedded) == report and "<" not in embedded
    assert before.count("<script") == 0 and after.count("<script") == 1
    return len(report["findings"])


# One line for each report format: the function that checks it and what it counts, or why no function does.
VALIDATORS = {
    "human": "people read it",
    "concise": "the test suite reads it",
    "json": "the test suite reads it",
    "ndjson": "the test suite reads it",
    "sarif": "`sarif` below checks it, with tools that need Node.js",
    "github": "validate-reports.mjs checks it, with GitHub's toolkit",
    "gitlab": (gitlab, "violations"),
    "junit": (junit, "test cases"),
    "checkstyle": (checkstyle, "errors"),
    "rdjsonl": (comments, "comments"),
    "markdown": (markdown, "rows"),
    "html": (html_page, "findings"),
}


def reports(folder):
    formats = sorted({path.suffix[1:] for path in folder.glob("nothing.*")})
    missing = [name for name in formats if name not in VALIDATORS]
    assert not missing, f"no line in VALIDATORS for the report formats {missing}"
    for name in NAMES:
        report = json.loads((folder / f"{name}.json").read_text())
        for form in formats:
            if not isinstance(VALIDATORS[form], str):
                check, noun = VALIDATORS[form]
                print(f"{form}: {name}: {check(folder, name, report)} {noun}")


def sarif(folder):
    import jsonschema

    # The schema that is part of Microsoft's tool.
    path = next(folder.glob("node_modules/@microsoft/sarif-multitool*/sarif-2.1.0.json"))
    judge = jsonschema.Draft202012Validator(json.loads(path.read_text(encoding="utf-8-sig")), format_checker=jsonschema.FormatChecker())
    broken = json.loads((folder / "broken.sarif").read_text())
    assert list(judge.iter_errors(broken)), "the schema accepts anything"
    assert verdict(folder, "broken"), "the multitool accepts anything"
    for name in NAMES:
        path = folder / f"{name}.sarif"
        log = json.loads(path.read_text())
        errors = [error.message[:300] for error in judge.iter_errors(log)]
        assert not errors, errors[:3]
        found = verdict(folder, name)
        assert not found, found[:3]
        assert path.stat().st_size < 10_000_000 and len(log["runs"][0]["results"]) <= 25_000
        links = uris(log)
        assert all(link.isascii() and " " not in link and not link.startswith("/") for link in links)
        fixes = sum("fixes" in result for result in log["runs"][0]["results"])
        assert (fixes > 0) == (name == "suggestions"), f"{fixes} fixes"
        print(f"sarif: {name}: {len(log['runs'][0]['results'])} results, {path.stat().st_size} bytes")


def verdict(folder, name):
    """The output of the multitool for a file. Its exit code is always 0."""
    run = json.loads((folder / f"{name}.verdict").read_text(encoding="utf-8-sig"))["runs"][0]
    notifications = [n for i in run.get("invocations", []) for n in i.get("toolExecutionNotifications") or []]
    assert not notifications, notifications
    # The program does not know the URL of the project.
    return [result for result in run.get("results", []) if result["ruleId"] != "SARIF2005"]


def uris(value):
    if isinstance(value, dict):
        own = [value["uri"]] if isinstance(value.get("uri"), str) else []
        return own + [uri for child in value.values() for uri in uris(child)]
    return [uri for child in value for uri in uris(child)] if isinstance(value, list) else []


if __name__ == "__main__":
    {"traffic": traffic, "reports": reports, "sarif": sarif}[sys.argv[1]](pathlib.Path(sys.argv[2]))
