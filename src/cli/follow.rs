//! `sundown usage --follow`: shows the report of a log that grows, in place on a terminal.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::Result;
use super::console::{print_error, screen_size};
use super::options::DateArgs;
use super::partial::PartialArgs;
use super::usage_report::UsageReportArgs;
use crate::files::FileAccess;
use crate::report::{ScreenSize, escape_unsafe};
use crate::run::FollowObserver;
use crate::text::group_digits;
use crate::usage::UsageScan;

/// The time between two updates of the screen.
const SCREEN_INTERVAL: Duration = Duration::from_secs(1);

/// The time between two partial results on disk.
const PARTIAL_INTERVAL: Duration = Duration::from_secs(10);

/// The time before the first update: most logs are read up to their end by then.
const FIRST_DELAY: Duration = Duration::from_millis(150);

/// Another screen, which leaves the one before as it was, without cursor and line wrapping.
const ENTER: &str = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J";

/// Undoes [`ENTER`].
const LEAVE: &str = "\x1b[?7h\x1b[?25h\x1b[?1049l";

/// Whether the terminal shows the other screen.
static IS_ENTERED: AtomicBool = AtomicBool::new(false);

/// Shows the report of a log that grows.
pub(super) struct FollowDisplay<'d> {
    /// The name of the log.
    name: String,
    report: &'d UsageReportArgs,
    partial: &'d PartialArgs,
    dates: &'d DateArgs,
    screen: Option<Screen>,
    /// When the partial result is written next.
    next_partial: Instant,
    /// Whether the counts have changed since it was written.
    is_partial_old: bool,
}

/// The report on a terminal, until it is dropped.
struct Screen {
    next: Instant,
    /// Whether the counts have changed since the last update.
    is_old: bool,
    /// The size of the terminal at the last update.
    size: Option<ScreenSize>,
}

impl<'d> FollowDisplay<'d> {
    /// Starts to show the report, or says that it comes at the end.
    pub(super) fn start(
        name: &str,
        (report, partial): (&'d UsageReportArgs, &'d PartialArgs),
        dates: &'d DateArgs,
    ) -> Self {
        let name = escape_unsafe(name).into_owned();
        let is_capable = std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        let screen = (io::stdout().is_terminal() && is_capable).then(Screen::enter);
        if screen.is_none() {
            print_error(&format!(
                "note: following {name}; an interrupt (Ctrl-C) ends it, and the report follows"
            ));
        }
        let next_partial = Instant::now() + PARTIAL_INTERVAL;
        Self { name, report, partial, dates, screen, next_partial, is_partial_old: true }
    }
}

impl FollowDisplay<'_> {
    fn is_partial_due(&self) -> bool {
        let is_wanted = self.partial.file().is_some();
        is_wanted && self.is_partial_old && Instant::now() >= self.next_partial
    }
}

/// The number of records, for people.
fn counted(records: u64) -> String {
    match records {
        1 => "1 record".to_owned(),
        records => {
            let records = usize::try_from(records).unwrap_or(usize::MAX);
            format!("{} records", group_digits(records))
        }
    }
}

impl FollowObserver for FollowDisplay<'_> {
    fn has_grown(&mut self) {
        self.is_partial_old = true;
        if let Some(screen) = &mut self.screen {
            screen.is_old = true;
        }
    }

    fn is_due(&self) -> bool {
        self.is_partial_due() || self.screen.as_ref().is_some_and(Screen::is_due)
    }

    fn update(&mut self, scan: &UsageScan) -> Result<()> {
        if self.is_partial_due() {
            self.partial.write(&FileAccess::default(), &|out| scan.write_partial(out))?;
            self.next_partial = Instant::now() + PARTIAL_INTERVAL;
            self.is_partial_old = false;
        }
        let Some(screen) = self.screen.as_mut().filter(|screen| screen.is_due()) else {
            return Ok(());
        };
        let report = self.report.text_so_far(scan, self.dates.day())?;
        let records = counted(scan.input.records);
        let head =
            format!("Following {}: {records}. Ctrl-C ends it, and prints the report.", self.name);
        // A terminal that was closed ends the run by a signal.
        if screen.draw(&head, &report).is_err() {
            self.screen = None;
        }
        Ok(())
    }

    fn is_missing(&mut self) {
        if self.screen.is_none() {
            print_error(&format!("note: {} does not exist yet", self.name));
        }
    }
}

impl Screen {
    fn enter() -> Self {
        IS_ENTERED.store(true, Ordering::Relaxed);
        write_now(ENTER);
        Self { next: Instant::now() + FIRST_DELAY, is_old: true, size: None }
    }

    fn is_due(&self) -> bool {
        Instant::now() >= self.next && (self.is_old || screen_size() != self.size)
    }

    /// Draws the first lines of a report that fit. The terminal cuts lines that are too long.
    fn draw(&mut self, head: &str, report: &str) -> io::Result<()> {
        self.size = screen_size();
        let unknown = ScreenSize { rows: usize::MAX, columns: usize::MAX };
        let frame = draw_frame(head, report, self.size.unwrap_or(unknown));
        let mut out = io::stdout().lock();
        let drawn = out.write_all(frame.as_bytes()).and_then(|()| out.flush());
        self.next = Instant::now() + SCREEN_INTERVAL;
        self.is_old = false;
        drawn
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore_terminal();
    }
}

/// Shows the screen as it was before; nothing if the report is not shown.
pub(super) fn restore_terminal() {
    if IS_ENTERED.swap(false, Ordering::Relaxed) {
        write_now(LEAVE);
    }
}

/// Writes to the terminal. If that fails, there is nothing to restore.
fn write_now(text: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Returns what draws a head and as many lines as fit below it, at once and over what is there.
fn draw_frame(head: &str, report: &str, size: ScreenSize) -> String {
    let ScreenSize { rows, columns } = size;
    let cut = |line: &str| match line.char_indices().nth(columns) {
        Some(_) => line.chars().take(columns.saturating_sub(1)).chain(['…']).collect(),
        None => line.to_owned(),
    };
    let lines: Vec<_> = report.lines().collect();
    let room = rows.saturating_sub(2);
    let shown = if lines.len() <= room { lines.len() } else { room.saturating_sub(1) };
    // Terminals that know synchronised updates show the frame when it is complete.
    let mut frame = format!("\x1b[?2026h\x1b[H{}\x1b[K", cut(head));
    for line in std::iter::once(&"").chain(lines.iter().take(shown)).take(rows.saturating_sub(1)) {
        let _ = write!(frame, "\r\n{}\x1b[K", cut(line));
    }
    let hidden = lines.len() - shown;
    if hidden > 0 && rows > 2 {
        let _ = write!(frame, "\r\n… {hidden} more lines\x1b[K");
    }
    frame.push_str("\x1b[J\x1b[?2026l");
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_has_as_many_lines_as_the_terminal() {
        let report = "line\n".repeat(10);
        for rows in 0..20 {
            let frame = draw_frame("head", &report, ScreenSize { rows, columns: 80 });
            let lines = frame.matches("\r\n").count() + 1;
            assert_eq!(lines, rows.clamp(1, 12), "{rows} rows: {frame:?}");
            let hidden = 10 - frame.matches("line\x1b").count();
            assert_eq!(frame.contains("more lines"), hidden > 0 && rows > 2, "{rows} rows");
            assert!(
                draw_frame("a long head", &report, ScreenSize { rows, columns: 6 })
                    .contains("a lon…\u{1b}")
            );
            assert!(hidden == 0 || rows <= 2 || frame.contains(&format!("… {hidden} more lines")));
        }
    }
}
