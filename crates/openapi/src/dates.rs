//! Dates as the values of extensions.

use chrono::{DateTime, NaiveDate, Utc};

/// Parses a date: `2026-11-20`, with or without a time (RFC 3339; the result is the date in UTC), or an HTTP date
/// (RFC 9110, section 5.6.7).
pub(super) fn parse(text: &str) -> Option<NaiveDate> {
    let text = text.trim();
    NaiveDate::parse_from_str(text, "%Y-%m-%d")
        .ok()
        .or_else(|| {
            let time =
                DateTime::parse_from_rfc3339(text).or_else(|_| DateTime::parse_from_rfc2822(text));
            Some(time.ok()?.with_timezone(&Utc).date_naive())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_parsed_in_all_notations() {
        let date = NaiveDate::from_ymd_opt(2026, 11, 20);
        for text in [
            "2026-11-20",
            " 2026-11-20\n",
            "2026-11-20T23:59:59Z",
            "2026-11-21T01:00:00+02:00",
            "Fri, 20 Nov 2026 12:00:00 GMT",
        ] {
            assert_eq!(parse(text), date, "{text}");
        }
        for text in ["", "soon", "2026-13-01", "2026-02-30", "20.11.2026", "2026"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
