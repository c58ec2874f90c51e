//! A set of names that is searched by how a key ends.

/// Names of keys. In a text, hardly any other key shares its last letters with one of them.
#[derive(Debug)]
pub(super) struct Endings {
    /// By the hash of the last bytes of a name, its opening quote included: the index of the first such name plus one; 0 if there
    /// is none.
    first: Box<[u16]>,
    /// In the order of their hashes.
    names: Vec<Ending>,
    /// The shift of the last eight bytes that leaves those which all names have.
    shift: u32,
    /// The names beyond the range of indexes.
    others: Vec<(Box<[u8]>, usize)>,
}

/// A name by its end.
#[derive(Debug)]
struct Ending {
    hash: usize,
    /// Its last bytes with the opening quote, as many as fit, and a mask for them.
    last: u64,
    mask: u64,
    /// With the opening quote.
    quoted: Box<[u8]>,
    number: usize,
}

/// The number of hashes: few enough for the first-level cache.
const HASHES: usize = 4_096;

impl Endings {
    pub(super) fn new<'n>(names: impl Iterator<Item = &'n str> + Clone) -> Self {
        let shortest = names
            .clone()
            .map(|name| name.len() + 1)
            .min()
            .unwrap_or(8)
            .min(8);
        let mut endings = Self {
            first: vec![0; HASHES].into(),
            names: Vec::new(),
            shift: u32::try_from(8 * (8 - shortest)).unwrap_or(0),
            others: Vec::new(),
        };
        for (number, name) in names.enumerate() {
            let quoted: Box<[u8]> = [b"\"", name.as_bytes()].concat().into();
            if number >= usize::from(u16::MAX) {
                endings.others.push((quoted, number));
                continue;
            }
            let unused = 8usize.saturating_sub(quoted.len()) * 8;
            let last = last_eight(&quoted);
            let hash = endings.hash(last);
            endings.names.push(Ending {
                hash,
                last,
                mask: u64::MAX << unused,
                quoted,
                number,
            });
        }
        endings.names.sort_by_key(|name| name.hash);
        for (number, name) in endings.names.iter().enumerate().rev() {
            if let (Some(first), Ok(next)) =
                (endings.first.get_mut(name.hash), u16::try_from(number + 1))
            {
                *first = next;
            }
        }
        endings
    }

    /// Finds the name that ends before `end` and has a quote before it. Returns the offset of its first letter, and its number.
    #[inline]
    pub(super) fn find(&self, text: &[u8], end: usize) -> Option<(usize, usize)> {
        let before = text.get(..end)?;
        let last = last_eight(before);
        let hash = self.hash(last);
        let first = usize::from(*self.first.get(hash)?);
        let hashed = if first == 0 {
            None
        } else {
            self.find_hashed(before, last, hash, first - 1)
        };
        if hashed.is_some() || self.others.is_empty() {
            return hashed;
        }
        self.others
            .iter()
            .find_map(|(quoted, number)| Some((before.strip_suffix(&**quoted)?.len() + 1, *number)))
    }

    /// Finds the name among those with this hash, of which the first has index `first`.
    fn find_hashed(
        &self,
        before: &[u8],
        last: u64,
        hash: usize,
        first: usize,
    ) -> Option<(usize, usize)> {
        let name = self
            .names
            .get(first..)?
            .iter()
            .take_while(|name| name.hash == hash)
            .filter(|name| last & name.mask == name.last)
            .find(|name| name.quoted.len() <= 8 || before.ends_with(&name.quoted))?;
        Some((before.len() + 1 - name.quoted.len(), name.number))
    }

    /// Returns a number below [`HASHES`].
    #[inline]
    fn hash(&self, last: u64) -> usize {
        let bits = (last >> self.shift).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (bits >> 52) as usize
    }
}

/// The last eight bytes, the last one highest, with zeros in front of the first.
#[inline]
fn last_eight(bytes: &[u8]) -> u64 {
    match bytes.last_chunk() {
        Some(last) => u64::from_le_bytes(*last),
        None => {
            let mut last = [0; 8];
            last.iter_mut()
                .rev()
                .zip(bytes.iter().rev())
                .for_each(|(to, from)| *to = *from);
            u64::from_le_bytes(last)
        }
    }
}
