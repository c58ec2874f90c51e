//! Writes to standard output and standard error, shows the progress of a run, and lets the user interrupt it.

use std::fmt::{Display, Write as _};
use std::io::{self, BufWriter, IsTerminal, Stdin, Write};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use terminal_size::{Height, Width, terminal_size_of};

use sundown_captures::Gauge;
use sundown_report::{Failure, ScreenSize, Verbosity, plural};
use sundown_run::Status;
use sundown_text_json::text::escape_unsafe;

/// The result of a command, or what prevents it.
pub(super) type Result<T, E = Failure> = std::result::Result<T, E>;

/// Writes to standard output; a closed pipe is not an error.
pub(super) fn print(text: &str) -> Result<Status> {
    print_written(|out| out.write_all(text.as_bytes()))
}

/// Writes to standard output while it is made; a closed pipe is not an error.
pub(super) fn print_written(
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<Status> {
    let mut stdout = BufWriter::new(io::stdout().lock());
    match write(&mut stdout).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("standard output: {error}")))
        }
        _ => Ok(Status::Clean),
    }
}

/// Writes a line to standard error. If that fails, there is nowhere to report it.
pub(super) fn print_error(text: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// Writes a warning to standard error.
pub(super) fn print_warning(warning: impl Display) {
    print_error(&format!("warning: {warning}"));
}

/// Writes notes to standard error, unless the user asked for quiet.
pub(super) fn print_notes(notes: &[String], verbosity: Verbosity) {
    for note in notes.iter().filter(|_| verbosity != Verbosity::Quiet) {
        print_error(&format!("note: {}", escape_unsafe(note)));
    }
}

/// Returns the size of the terminal; `None` if standard output is no terminal.
pub(super) fn screen_size() -> Option<ScreenSize> {
    let (Width(columns), Height(rows)) =
        terminal_size_of(io::stdout()).filter(|_| io::stdout().is_terminal())?;
    Some(ScreenSize {
        rows: rows.into(),
        columns: columns.into(),
    })
}

/// Returns the width of the terminal; `None` if standard output is no terminal.
pub(super) fn screen_width() -> Option<usize> {
    screen_size().map(|screen| screen.columns)
}

/// A run that takes less time shows no progress.
const DELAY: Duration = Duration::from_secs(1);

/// The time between two updates of the bar.
const INTERVAL: Duration = Duration::from_millis(100);

/// The exit code of a program that an interrupt ends, as shells report it.
const INTERRUPTED: i32 = 130;

/// Runs something over files of `total` bytes (0 if the size is unknown) while its progress is shown, and lets the user interrupt
/// it.
pub(super) fn with_progress<T>(total: u64, run: impl FnOnce(&mut Stdin, &Gauge) -> T) -> T {
    let shared = Arc::default();
    stop_on_interrupt(&shared);
    let gauge: &Gauge = &shared;
    // The display ends when nothing can send any more.
    let (running, ended) = channel();
    let is_shown = io::stderr().is_terminal();
    thread::scope(|scope| {
        let display = is_shown.then(|| scope.spawn(move || draw(gauge, &ended, total)));
        let result = run(&mut io::stdin(), gauge);
        drop(running);
        // A bar that cannot be drawn must not end the run.
        let _ = display.map(ScopedJoinHandle::join);
        result
    })
}

/// Draws a progress bar on standard error, until the run has ended.
fn draw(gauge: &Gauge, ended: &Receiver<()>, total: u64) {
    let begin = Instant::now();
    if ended.recv_timeout(DELAY) != Err(RecvTimeoutError::Timeout) {
        return;
    }
    let (bar, template) = match total {
        0 => (ProgressBar::no_length(), "{bytes} checked ({msg}"),
        _ => (
            ProgressBar::new(total),
            "{bar:30} {bytes}/{total_bytes} ({msg}",
        ),
    };
    bar.set_draw_target(ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    loop {
        let checked = u64::try_from(gauge.checked.load(Ordering::Relaxed)).unwrap_or(u64::MAX);
        bar.set_position(checked);
        let findings = gauge.findings.load(Ordering::Relaxed);
        bar.set_message(describe(checked, total, begin.elapsed(), findings));
        if ended.recv_timeout(INTERVAL) != Err(RecvTimeoutError::Timeout) {
            break;
        }
    }
    bar.finish_and_clear();
}

/// The rate since the beginning of the run, the time left at this rate, and the number of findings: `9 MiB/s, 3 seconds left),
/// 1 finding so far`.
fn describe(checked: u64, total: u64, elapsed: Duration, findings: usize) -> String {
    let millis = u64::try_from(elapsed.as_millis())
        .unwrap_or(u64::MAX)
        .max(1);
    let rate = checked.saturating_mul(1000) / millis;
    let mut text = format!("{}/s", HumanBytes(rate));
    if let Some(seconds) = total
        .saturating_sub(checked)
        .checked_div(rate)
        .filter(|_| total > 0)
    {
        // The last second is not over before the run is.
        let left = HumanDuration(Duration::from_secs(seconds.max(1)));
        let _ = write!(text, ", {left} left");
    }
    let _ = write!(text, "), {} so far", plural(findings, "finding"));
    text
}

/// Makes an interrupt from the keyboard end the reading, so that findings so far are reported; a second one ends the program.
pub(super) fn stop_on_interrupt(gauge: &Arc<Gauge>) {
    let gauge = Arc::clone(gauge);
    // If no handler can be set, an interrupt ends the program at once.
    let _ = ctrlc::set_handler(move || {
        if gauge.stop.swap(true, Ordering::Relaxed) {
            #[allow(
                clippy::disallowed_methods,
                reason = "the user has asked twice: main may never return"
            )]
            std::process::exit(INTERRUPTED);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_and_time_left_are_those_of_the_whole_run() {
        let text = |checked, total, seconds, findings| {
            describe(checked, total, Duration::from_secs(seconds), findings)
        };
        let mebibyte = 1 << 20;
        assert_eq!(
            text(10 * mebibyte, 40 * mebibyte, 2, 1),
            "5.00 MiB/s, 6 seconds left), 1 finding so far"
        );
        assert_eq!(
            text(10 * mebibyte, 0, 2, 0),
            "5.00 MiB/s), 0 findings so far"
        );
        assert_eq!(text(0, 10, 2, 3), "0 B/s), 3 findings so far");
        assert_eq!(
            text(10, 10, 1, 2),
            "10 B/s, 1 second left), 2 findings so far"
        );
    }
}
