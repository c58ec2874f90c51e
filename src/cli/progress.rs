//! Shows how far a run is, on a terminal, and lets the user break it off.

use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sundown::formats::Gauge;

/// Runs that are over sooner show nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often the bar is drawn.
const PERIOD: Duration = Duration::from_millis(100);

/// A bar on standard error, while it lives; nothing where that is no terminal.
pub(crate) struct ProgressDisplay {
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl ProgressDisplay {
    /// Watches a run over files of `total` bytes (0: nobody knows).
    pub(crate) fn watch(gauge: &Arc<Gauge>, total: u64) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let thread = io::stderr().is_terminal().then(|| {
            let (gauge, over) = (Arc::clone(gauge), Arc::clone(&over));
            thread::spawn(move || draw(&gauge, &over, total))
        });
        Self { over, thread }
    }
}

impl Drop for ProgressDisplay {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // A bar that could not be drawn is no matter.
            let _ = thread.join();
        }
    }
}

fn draw(gauge: &Gauge, over: &AtomicBool, total: u64) {
    thread::park_timeout(PATIENCE);
    if over.load(Ordering::Relaxed) {
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
    while !over.load(Ordering::Relaxed) {
        let taken = gauge.taken.load(Ordering::Relaxed);
        bar.set_position(u64::try_from(taken).unwrap_or(u64::MAX));
        bar.set_message(match gauge.findings.load(Ordering::Relaxed) {
            1 => "1 finding so far".to_owned(),
            count => format!("{count} findings so far"),
        });
        thread::park_timeout(PERIOD);
    }
    bar.finish_and_clear();
}

/// Lets an interrupt from the keyboard end the reading, so that what was found so far is told; a second one ends the
/// program at once.
pub(crate) fn stop_on_interrupt(gauge: &Arc<Gauge>) {
    let gauge = Arc::clone(gauge);
    // Where no handler can be set, an interrupt ends the program, as it would have.
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

/// As a shell says of a program that an interrupt ended.
const INTERRUPTED: i32 = 130;
