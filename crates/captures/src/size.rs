//! Numbers of bytes as people write them.

use std::str::FromStr;

/// A number of bytes, at least one, written as `4096`, `512K`, `256M` or `2G`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size(pub usize);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (digits, shift) = [("K", 10), ("M", 20), ("G", 30)]
            .into_iter()
            .find_map(|(unit, shift)| Some((text.strip_suffix(unit)?, shift)))
            .unwrap_or((text, 0));
        let count: usize = digits
            .parse()
            .map_err(|_| "a size looks like 4096, 512K, 256M or 2G".to_owned())?;
        count
            .checked_mul(1 << shift)
            .filter(|&bytes| bytes > 0)
            .map(Self)
            .ok_or_else(|| "the size is out of range".to_owned())
    }
}
