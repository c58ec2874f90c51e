//! A sparkline: counts over time as a small picture with a text alternative.

use super::HtmlBuffer;

/// The most bars of a sparkline, as many as three days have hours. Longer periods have several days in a bar.
const MAX_BARS: u64 = 72;

/// The height of the highest bar.
const HEIGHT: u64 = 20;

/// Counts by hour or day in a period that all sparklines of a page share.
#[derive(Debug)]
pub struct Sparkline {
    first: i64,
    /// The noun for what is numbered: `hour` or `day`.
    unit: &'static str,
    /// How many of them a bar has.
    step: u64,
    bars: Vec<u64>,
}

impl Sparkline {
    /// Creates a sparkline without counts. Hours or days are numbered from any one.
    pub fn new(first: i64, last: i64, unit: &'static str) -> Self {
        let length = u64::try_from(last.saturating_sub(first)).unwrap_or_default() + 1;
        let step = length.div_ceil(MAX_BARS);
        let bars = usize::try_from(length.div_ceil(step)).unwrap_or_default();
        Self {
            first,
            unit,
            step,
            bars: vec![0; bars],
        }
    }

    /// Adds the count of an hour or day. Those outside of the period are not shown.
    pub fn add(&mut self, number: i64, count: u64) {
        let Ok(later) = u64::try_from(number.saturating_sub(self.first)) else {
            return;
        };
        let index = usize::try_from(later / self.step).unwrap_or(usize::MAX);
        if let Some(bar) = self.bars.get_mut(index) {
            *bar += count;
        }
    }

    /// Writes the picture between its scale and the dates of its ends. Its tooltip, which is its text alternative, has these, too.
    pub fn write(&self, first: &str, last: &str, out: &mut HtmlBuffer) {
        let width = self.bars.len() as u64;
        out.text(&self.describe_highest())
            .markup("<svg role=\"img\" height=\"22\" preserveAspectRatio=\"none\" viewBox=\"0 0 ")
            .number(width)
            .markup(" 22\"><title>")
            .text(&format!("{first} to {last}: {}", self.describe()))
            .markup("</title><path fill=\"currentColor\" d=\"");
        self.write_bars(out);
        // The line below the bars shows the period.
        out.markup("M0 21h")
            .number(width)
            .markup("v1H0z\"/></svg><small>")
            .text(&format!("{first} {last}"))
            .markup("</small>");
    }

    /// Writes the outline of the bars.
    fn write_bars(&self, out: &mut HtmlBuffer) {
        let highest = self.bars.iter().copied().max().unwrap_or_default();
        if highest == 0 {
            return;
        }
        out.markup("M0 20");
        for bars in self.bars.chunk_by(|one, other| one == other) {
            let count = bars.first().copied().unwrap_or_default();
            // A bar for each use, however few there are.
            let height = (u128::from(count) * u128::from(HEIGHT)).div_ceil(u128::from(highest));
            let height = u64::try_from(height).unwrap_or(HEIGHT);
            out.markup("V")
                .number(HEIGHT - height)
                .markup("h")
                .number(bars.len() as u64);
        }
        out.markup("V20z");
    }

    /// Describes the counts: the highest, and how they change.
    fn describe(&self) -> String {
        let (early, late) = self.bars.split_at(self.bars.len() / 2);
        let (early, late): (u64, u64) = (early.iter().sum(), late.iter().sum());
        let highest = self.describe_highest();
        if self.bars.len() == 1 || early + late == 0 {
            return highest;
        }
        format!("{highest}; {early} in the first half of the period, {late} in the second")
    }

    /// Describes the height of the picture.
    fn describe_highest(&self) -> String {
        let highest = self.bars.iter().copied().max().unwrap_or_default();
        let step = match (self.step, self.unit) {
            (1, "hour") => "an hour".to_owned(),
            (1, unit) => format!("a {unit}"),
            (step, unit) => format!("in {step} {unit}s"),
        };
        match (self.bars.len(), highest) {
            (_, 0) => "none at a known time".to_owned(),
            (1, _) => format!("{highest} {step}"),
            _ => format!("at most {highest} {step}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(line: &Sparkline) -> String {
        let mut out = HtmlBuffer::default();
        line.write_bars(&mut out);
        out.into_string()
    }

    #[test]
    fn bars_are_relative_to_the_highest_and_none_is_invisible() {
        let mut line = Sparkline::new(-1, 3, "day");
        line.add(-1, 1_000);
        line.add(0, 1);
        line.add(3, 500);
        assert_eq!(written(&line), "M0 20V0h1V19h1V20h2V10h1V20z");
        assert_eq!(
            line.describe(),
            "at most 1000 a day; 1001 in the first half of the period, 500 in the second"
        );
    }

    #[test]
    fn any_period_has_few_bars_and_keeps_its_first_and_last_day() {
        for (first, last) in [(0, 2_932_896), (20_000, 20_072), (20_000, 20_060)] {
            let mut line = Sparkline::new(first, last, "day");
            line.add(first, 1);
            line.add(last, 2);
            line.add(-700_000, 9);
            assert!(line.bars.len() <= 72);
            assert_eq!((line.bars.first(), line.bars.last()), (Some(&1), Some(&2)));
        }
        let mut line = Sparkline::new(20_000, 20_000, "hour");
        assert_eq!(
            (written(&line).as_str(), line.describe().as_str()),
            ("", "none at a known time")
        );
        line.add(20_000, 7);
        assert_eq!(
            (written(&line).as_str(), line.describe().as_str()),
            ("M0 20V0h1V20z", "7 an hour")
        );
    }
}
