//! Shows the progress of a run on a terminal, and lets the user interrupt it.

use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::formats::Gauge;

/// A run that takes less time shows no progress.
const DELAY: Duration = Duration::from_secs(1);

/// The time between two updates of the bar.
const INTERVAL: Duration = Duration::from_millis(100);

/// The exit code of a program that an interrupt ends, as shells report it.
const INTERRUPTED: i32 = 130;

/// A progress bar on standard error, until it is dropped; nothing if standard error is not a terminal.
pub(super) struct ProgressDisplay {
    done: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl ProgressDisplay {
    /// Displays the progress of a run over files of `total` bytes (0 if the size is unknown).
    pub(super) fn start(gauge: &Arc<Gauge>, total: u64) -> Self {
        let done = Arc::new(AtomicBool::new(false));
        let thread = io::stderr().is_terminal().then(|| {
            let (gauge, done) = (Arc::clone(gauge), Arc::clone(&done));
            thread::spawn(move || draw(&gauge, &done, total))
        });
        Self { done, thread }
    }
}

impl Drop for ProgressDisplay {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // A bar that cannot be drawn must not end the run.
            let _ = thread.join();
        }
    }
}

fn draw(gauge: &Gauge, done: &AtomicBool, total: u64) {
    thread::park_timeout(DELAY);
    if done.load(Ordering::Relaxed) {
        return;
    }
    let (bar, template) = match total {
        0 => (ProgressBar::no_length(), "{bytes} read ({bytes_per_sec}), {msg}"),
        _ => (
            ProgressBar::new(total),
            "{bar:30} {bytes}/{total_bytes} ({bytes_per_sec}, {eta} left), {msg}",
        ),
    };
    bar.set_draw_target(ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    while !done.load(Ordering::Relaxed) {
        let taken = gauge.taken.load(Ordering::Relaxed);
        bar.set_position(u64::try_from(taken).unwrap_or(u64::MAX));
        bar.set_message(match gauge.findings.load(Ordering::Relaxed) {
            1 => "1 finding so far".to_owned(),
            count => format!("{count} findings so far"),
        });
        thread::park_timeout(INTERVAL);
    }
    bar.finish_and_clear();
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
