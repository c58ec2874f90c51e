//! `sundown usage --follow` counts a log that grows: in the end, all of it, as one scan of the same bytes does.

use serde_json::Value;

use crate::support::{Desk, Ran};

const RULES: &str = r#"
api = "Shop"
[[rule]]
id = "legacy-id"
operation = "POST /v1/orders"
field = "legacyId"
sides = ["request"]
[[rule]]
id = "list"
operation = "GET /v1/orders"
"#;

const FIXED: [&str; 8] = [
    "usage",
    "--no-builtin-rules",
    "--rules",
    "rules.toml",
    "--as-of",
    "2026-11-20",
    "--by",
    "user-agent",
];

/// A line with an order on a day of September.
fn order(day: usize, agent: &str, member: &str) -> String {
    format!(
        "{{\"time\":\"2026-09-{day:02}T10:00:00Z\",\"method\":\"POST\",\"url\":\"/v1/orders\",\"request\":{{\"headers\":{{\"User-Agent\":\"{agent}\"}},\"body\":{{\"{member}\":1}}}},\"response\":{{\"status\":200}}}}\n"
    )
}

fn access(second: usize) -> String {
    format!(
        "10.0.0.1 - - [20/Nov/2026:13:00:{second:02} +0100] \"GET /v1/orders HTTP/1.1\" 200 12 \"-\" \"shop/2\"\n"
    )
}

fn desk() -> Desk {
    Desk::new().with("rules.toml", RULES)
}

fn json_of(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}", ran.stderr))
}

#[test]
fn standard_input_gives_the_report_of_a_plain_scan() {
    let orders: String = (1..=30).map(|day| order(day, "shop/2", "legacyId")).collect();
    let log: String = (0..30).map(access).collect();
    let desk = desk();
    let open_order = orders.trim_end();
    let cut_order = orders.get(..orders.len() - 20).unwrap();
    let cut_log = log.get(..log.len() - 30).unwrap();
    let other_lines =
        format!("started\n{}\n\n{{\"level\":1}}\n{{oops\n{orders}", order(1, "a/1", "x"));
    let wide_record =
        format!("{}{{\"pad\":\"{}\"}}\n{orders}", order(1, "a/1", "x"), "x".repeat(1_500_000));
    for (text, more) in [
        (orders.as_str(), &[][..]),
        (&order(1, "a/1", "legacyId"), &[]),
        (open_order, &[]),
        (cut_order, &[]),
        (&log, &[]),
        (log.trim_end(), &[]),
        (cut_log, &[]),
        (&other_lines, &[]),
        (&orders.replace('\n', "\r\n"), &[]),
        (&wide_record, &["--max-record", "64K"]),
        ("", &[]),
        ("no log\n", &[]),
    ] {
        let run = |follow: &[&str]| {
            desk.run_with(
                &[&FIXED[..], &["-", "--format", "json"], more, follow].concat(),
                text.as_bytes(),
            )
        };
        let (plain, followed) = (run(&[]), run(&["--follow"]));
        assert_eq!(
            (plain.code, json_of(&plain)),
            (followed.code, json_of(&followed)),
            "{text:.300}"
        );
    }
}

#[test]
fn inputs_that_cannot_be_followed_are_refused_with_the_remedy() {
    let har = r#"{"log":{"version":"1.2","creator":{"name":"x"},"entries":[]}}"#;
    let desk = desk()
        .with("a.har", format!("{har}\n"))
        .with("minified.har", har)
        .with(
            "test.yaml",
            "interactions:\n- request:\n    method: GET\n    uri: http://a/b\nversion: 1\n",
        )
        .with("log.gz", b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\n")
        .with("body.json", "{\n  \"a\": 1\n}\n")
        .with("notes.txt", "A note.\n".repeat(200_000))
        .with("log", order(1, "a/1", "x"));
    for (paths, message) in [
        (&["a.har"][..], "a.har cannot be followed: it is read as `har`, as a whole"),
        (&["minified.har"], "minified.har cannot be followed: it is read as `har`, as a whole"),
        (&["test.yaml"], "test.yaml cannot be followed: it is read as `vcrpy`, as a whole"),
        (&["log.gz"], "log.gz cannot be followed: it is compressed with gzip"),
        (&["notes.txt"], "notes.txt cannot be followed: "),
        (&["."], ".: is a directory"),
        (&["log", "a.har"], "--follow takes one file"),
        (&[], "--follow takes one file"),
        (&["log", "--input-format", "har"], "it is read as `har`"),
    ] {
        let ran = desk.run(&[&FIXED[..], &["--follow"], paths].concat());
        assert!(
            ran.code == 2 && ran.stderr.contains(message),
            "{paths:?}: {} {}",
            ran.code,
            ran.stderr
        );
        assert_eq!(ran.stdout, "");
    }
}

#[cfg(target_os = "linux")]
mod growing {
    use std::fs::{self, File, OpenOptions};
    use std::io::{Read, Write};
    use std::path::Path;
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    use super::*;

    /// A run that follows `log` in a folder.
    struct Following(Child);

    impl Following {
        fn start(desk: &Desk, more: &[&str]) -> Self {
            Self::start_on(desk, "log", more)
        }

        /// Starts a run on a log or on standard input, which is open until the run is dropped.
        fn start_on(desk: &Desk, log: &str, more: &[&str]) -> Self {
            let mut command = Command::new(env!("CARGO_BIN_EXE_sundown"));
            command.env_clear().current_dir(desk.path("")).args(FIXED);
            command.args(["--follow", log, "--format", "json"]).args(more);
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            Self(command.spawn().unwrap())
        }

        /// Waits until the run says that it has begun: from then on, signals end it in order.
        fn wait_for_note(&mut self) {
            let mut noted = [0; 20];
            self.0.stderr.as_mut().unwrap().read_exact(&mut noted).unwrap();
        }

        /// Waits until the run has read a file up to its end.
        fn wait_for(&self, path: &Path) {
            let begin = Instant::now();
            while !self.has_read(path) {
                assert!(
                    begin.elapsed() < Duration::from_secs(60),
                    "{} is not read",
                    path.display()
                );
                std::thread::sleep(Duration::from_millis(5));
            }
        }

        fn has_read(&self, path: &Path) -> bool {
            let process = Path::new("/proc").join(self.0.id().to_string());
            let path = fs::canonicalize(path).unwrap();
            let size = path.metadata().unwrap().len();
            let open = fs::read_dir(process.join("fd")).unwrap().filter_map(Result::ok);
            let mut open = open.filter(|fd| fs::read_link(fd.path()).is_ok_and(|to| to == path));
            open.any(|fd| {
                let info = fs::read_to_string(process.join("fdinfo").join(fd.file_name()));
                info.is_ok_and(|info| info.lines().next() == Some(&format!("pos:\t{size}")))
            })
        }

        /// Sends a signal and returns the end of the run.
        fn end(mut self, signal: &str) -> Ran {
            let id = self.0.id().to_string();
            assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
            let (mut stdout, mut stderr) = (String::new(), String::new());
            if let Some(mut open) = self.0.stdout.take() {
                open.read_to_string(&mut stdout).unwrap();
            }
            self.0.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
            let code = self.0.wait().unwrap().code();
            Ran { stdout, stderr, code: code.expect("no signal ends the program") }
        }
    }

    fn append(path: &Path, text: &str) {
        let mut log = OpenOptions::new().append(true).create(true).open(path).unwrap();
        log.write_all(text.as_bytes()).unwrap();
    }

    /// What a report says, but for the names of files.
    fn nameless(ran: &Ran) -> Value {
        let mut report = json_of(ran);
        for skipped in report["input"]["skipped"].as_array_mut().unwrap() {
            for name in ["files", "first_file"] {
                skipped.as_object_mut().unwrap().remove(name);
            }
        }
        report
    }

    #[test]
    fn rotated_and_truncated_logs_are_counted_completely() {
        let desk = desk();
        let [log, first, second, third] =
            ["log", "log.1", "log.2", "log.3"].map(|name| desk.path(name));
        let run = Following::start(&desk, &[]);
        // The file appears later, and its last line is not complete yet.
        let line = order(1, "shop/2", "legacyId");
        let (begun, rest) = line.split_at(40);
        append(&log, &format!("{}{begun}", order(1, "billing/1", "legacyId")));
        run.wait_for(&log);
        append(&log, &format!("{rest}{}", order(2, "shop/2", "id")));
        run.wait_for(&log);
        // Rotation by a copy. The new content is shorter.
        fs::copy(&log, &first).unwrap();
        File::create(&log).unwrap();
        append(&log, &order(3, "shop/2", "legacyId"));
        run.wait_for(&log);
        // Again, and the new content is longer and ends with an incomplete line.
        fs::copy(&log, &second).unwrap();
        fs::write(
            &log,
            (4..9).map(|day| order(day, "report/3", "legacyId")).collect::<String>() + begun,
        )
        .unwrap();
        run.wait_for(&log);
        // Rotation by a new name. The server writes to the old file for a while.
        fs::rename(&log, &third).unwrap();
        append(&log, &order(10, "shop/2", "legacyId"));
        append(&third, &format!("{rest}{}", order(9, "shop/3", "legacyId")));
        append(&log, &format!("not a call\n{}", order(11, "shop/2", "legacyId").trim_end()));
        let followed = run.end("-TERM");
        assert_eq!(followed.code, 0, "{}", followed.stderr);
        let plain = [&FIXED[..], &["log.1", "log.2", "log.3", "log", "--format", "json"]].concat();
        let plain = desk.run(&plain);
        assert_eq!(nameless(&followed), nameless(&plain));
        assert_eq!(json_of(&followed)["calls"]["count"], 13);
        assert_eq!(json_of(&followed)["input"]["files"], 4);
    }

    #[test]
    fn a_signal_ends_a_run_with_the_answer_of_its_gate() {
        for (signal, gate, member, code) in [
            ("-INT", &[][..], "legacyId", 0),
            ("-TERM", &["--gate"], "legacyId", 1),
            ("-HUP", &["--gate"], "id", 2),
        ] {
            let desk = desk().with("log", order(1, "shop/2", member));
            let run = Following::start(&desk, &[&["--rule", "legacy-id"], gate].concat());
            run.wait_for(&desk.path("log"));
            let ran = run.end(signal);
            assert_eq!(ran.code, code, "{signal}: {}", ran.stderr);
            assert_eq!(json_of(&ran)["calls"]["count"], 1);
        }
    }

    #[test]
    fn a_log_that_never_appears_fails_the_run() {
        let desk = desk();
        let mut run = Following::start(&desk, &[]);
        run.wait_for_note();
        let ran = run.end("-TERM");
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert_eq!(json_of(&ran)["input"]["unread"], serde_json::json!(["log"]));
    }

    #[test]
    fn a_signal_ends_standard_input_that_stays_open_with_all_that_was_written() {
        let desk = desk();
        let mut run = Following::start_on(&desk, "-", &[]);
        run.wait_for_note();
        let cut_off = order(20, "shop/2", "legacyId");
        let orders: String = (1..20).map(|day| order(day, "shop/2", "legacyId")).collect();
        let mut writer = run.0.stdin.take().unwrap();
        writer.write_all((orders + cut_off.trim_end()).as_bytes()).unwrap();
        let ran = run.end("-INT");
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(json_of(&ran)["calls"]["count"], 20);
    }

    #[test]
    fn a_closed_standard_output_is_no_error_and_loses_no_counts() {
        let desk = desk().with("log", order(1, "shop/2", "legacyId"));
        let mut run = Following::start(&desk, &["--partial", "counts"]);
        run.wait_for(&desk.path("log"));
        drop(run.0.stdout.take());
        let ran = run.end("-TERM");
        assert_eq!((ran.code, ran.stderr.lines().count()), (0, 1), "{}", ran.stderr);
        let merged = desk.run(&["merge", "counts", "--as-of", "2026-11-20", "--format", "json"]);
        assert_eq!(json_of(&merged)["calls"]["count"], 1);
    }
}
