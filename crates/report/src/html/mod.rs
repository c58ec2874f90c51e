//! The frame of reports that are web pages: one file with its style and its script, which loads nothing.
//!
//! All content is in the markup; the script only adds sorting, filters and a switch of colours. A content security policy names
//! the style and the script by their hashes, so that nothing else could run even if a text were not escaped.

mod buffer;
mod calendar;
mod page;
mod sparkline;

pub use buffer::HtmlBuffer;
pub use calendar::{CalendarDay, CalendarEntry, write_calendar};
pub use page::{HtmlPage, MAX_LAID_OUT};
pub use sparkline::Sparkline;
