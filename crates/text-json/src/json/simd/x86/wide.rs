//! The functions over 64 bytes, which are compiled for each set of instructions.

/// Defines all functions for one kind of register: 64 bytes in such registers, and the tables that they look up bytes in.
macro_rules! wide {
    ($features:literal, $lanes:ident, $lookup:ident) => {
        impl $lanes {
            /// Loads the 64 bytes from `at` on, with zeros after the end.
            #[inline]
            #[target_feature(enable = $features)]
            fn at(bytes: &[u8], at: usize) -> Self {
                match bytes.get(at..).and_then(<[u8]>::first_chunk) {
                    Some(whole) => Self::load(whole),
                    None => Self::load(&padded(bytes, at)),
                }
            }

            /// One bit for each byte that may follow a key, or begin what follows it.
            #[inline]
            #[target_feature(enable = $features)]
            fn may_follow_key(self) -> u64 {
                self.below_space() | self.equal(b' ') | self.equal(b':') | self.equal(b'\\')
            }

            /// One bit for each of the characters that are most frequent after a backslash: `"`, `\`, `n`, `/`, `t`, `r`.
            #[inline]
            #[target_feature(enable = $features)]
            fn short_escapes(self) -> u64 {
                self.equal(b'"')
                    | self.equal(b'\\')
                    | self.equal(b'n')
                    | self.equal(b'/')
                    | self.equal(b't')
                    | self.equal(b'r')
            }
        }

        /// For each bit the parity of it and all below: the bytes between quotes.
        #[inline]
        #[target_feature(enable = $features)]
        fn parities(bits: u64) -> u64 {
            let product = _mm_clmulepi64_si128::<0>(
                _mm_set_epi64x(0, bits.cast_signed()),
                _mm_set_epi64x(0, -1),
            );
            _mm_cvtsi128_si64(product).cast_unsigned()
        }

        #[target_feature(enable = $features)]
        pub(in crate::json) fn escapes(bytes: &[u8], unicode: &mut Vec<usize>) -> usize {
            let mut escapes = Escapes::default();
            let mut count = 0;
            unicode.clear();
            let mut note = |at: usize, piece: &[u8; 64]| {
                let block = $lanes::load(piece);
                let backslashes = block.equal(b'\\');
                let escaped = escapes.next(backslashes);
                count += (backslashes & !escaped).count_ones() as usize;
                let mut letters = escaped & block.equal(b'u');
                while letters != 0 {
                    // No letter at 0 is escaped.
                    unicode.push((at + letters.trailing_zeros() as usize).saturating_sub(1));
                    letters &= letters - 1;
                }
            };
            let (pieces, _) = bytes.as_chunks();
            let mut at = 0;
            for piece in pieces {
                note(at, piece);
                at += 64;
            }
            if at < bytes.len() {
                note(at, &padded(bytes, at));
            }
            count
        }

        #[target_feature(enable = $features)]
        pub(in crate::json) fn unescape(
            bytes: &[u8],
            mut at: usize,
            text: &mut [u8],
            mut len: usize,
        ) -> (usize, usize) {
            while let Some(whole) = bytes.get(at..).and_then(<[u8]>::first_chunk::<64>)
                && let Some(room) = text.get_mut(len..).and_then(<[u8]>::first_chunk_mut::<64>)
            {
                let block = $lanes::load(whole);
                let backslashes = block.equal(b'\\');
                let wrong = block.below_space();
                if backslashes | wrong == 0 {
                    *room = *whole;
                    (at, len) = (at + 64, len + 64);
                    continue;
                }
                let mut escapes = Escapes::default();
                let escaped = escapes.next(backslashes);
                // An escape that continues in the next block is left to that.
                let mut count = if escapes.carried == 1 { 63 } else { 64 };
                let for_themselves = block.equal(b'"') | block.equal(b'\\') | block.equal(b'/');
                let mut others = escaped & !for_themselves;
                let mut controls = 0;
                if others != 0 {
                    controls = others & block.short_escapes();
                    others &= !controls;
                    if others != 0 {
                        count = others.trailing_zeros() as usize - 1;
                    }
                }
                count = count.min(wrong.trailing_zeros() as usize);
                controls &= below(count);
                let kept = below(count) & !(backslashes & !escaped);
                $lanes::compress(whole, kept, count, room);
                while controls != 0 {
                    let bit = controls.trailing_zeros();
                    let place = (kept & below(bit as usize)).count_ones() as usize;
                    if let (Some(byte), Some(&letter)) =
                        (room.get_mut(place), whole.get(bit as usize))
                    {
                        *byte = control(letter);
                    }
                    controls &= controls - 1;
                }
                at += count;
                len += kept.count_ones() as usize;
                if others | wrong != 0 {
                    break;
                }
            }
            (at, len)
        }

        #[target_feature(enable = $features)]
        pub(in crate::json) fn tokens(
            bytes: &[u8],
            reading: &mut Reading,
            list: &mut TokenList,
        ) -> () {
            let blanks = $lanes::table(&BLANKS);
            let operators = $lanes::table(&OPERATORS);
            let Reading {
                mut at,
                escaped,
                mut in_string,
                mut scalar,
            } = *reading;
            let mut escapes = Escapes { carried: escaped };
            for word in 0..list.begin(at) {
                if at >= bytes.len() {
                    break;
                }
                let block = $lanes::at(bytes, at);
                let backslashes = block.equal(b'\\');
                let behind_backslash = escapes.next(backslashes);
                list.with_backslash |= u64::from(backslashes != 0) << word;
                let quotes = block.equal(b'"') & !behind_backslash;
                let strings = parities(quotes) ^ in_string;
                in_string = 0u64.wrapping_sub(strings >> 63);
                let operating = block.as_braces().is_in(operators) & !strings;
                let others = !(block.is_in(blanks) | operating | quotes | strings);
                let starts = others & !(others << 1 | scalar);
                scalar = others >> 63;
                let inside = below(bytes.len() - at);
                let mut wrong = block.below_space() & strings & inside;
                let mut escaped = behind_backslash & strings & inside;
                if escaped != 0 {
                    escaped &= !block.short_escapes();
                    wrong |= wrong_escapes(bytes, at, escaped);
                }
                let mut tokens = (operating | quotes & strings | starts) & inside;
                if wrong != 0 {
                    // The bytes after an invalid one are irrelevant.
                    tokens &= below(wrong.trailing_zeros() as usize);
                    at = usize::MAX - 64;
                }
                if let Some((places, first)) = list.room() {
                    block.write_tokens(tokens, 64 * word, places, first);
                    list.count += tokens.count_ones() as usize;
                }
                at += 64;
            }
            list.end();
            *reading = Reading {
                at,
                escaped: escapes.carried,
                in_string,
                scalar,
            };
        }

        #[target_feature(enable = $features)]
        pub(in crate::json) fn string_end(bytes: &[u8], from: usize) -> Option<usize> {
            let mut escapes = Escapes::default();
            let mut end = |at: usize, piece: &[u8; 64]| {
                let block = $lanes::load(piece);
                let quotes = block.equal(b'"') & !escapes.next(block.equal(b'\\'));
                (quotes != 0).then(|| at + quotes.trailing_zeros() as usize + 1)
            };
            let (pieces, _) = bytes.get(from..)?.as_chunks();
            let mut at = from;
            for piece in pieces {
                if let Some(end) = end(at, piece) {
                    return Some(end);
                }
                at += 64;
            }
            end(at, &padded(bytes, at))
        }

        #[target_feature(enable = $features)]
        pub(in crate::json) fn container_end(bytes: &[u8], from: usize) -> Option<usize> {
            let mut escapes = Escapes::default();
            // All ones inside a string.
            let mut in_string = 0u64;
            let mut depth = 1usize;
            let mut end = |at: usize, piece: &[u8; 64]| {
                let block = $lanes::load(piece);
                let quotes = block.equal(b'"') & !escapes.next(block.equal(b'\\'));
                let strings = parities(quotes) ^ in_string;
                in_string = 0u64.wrapping_sub(strings >> 63);
                let braces = block.as_braces();
                let closing = braces.equal(b'}') & !strings;
                let opening = braces.equal(b'{') & !strings;
                let closed = closing.count_ones() as usize;
                if closed >= depth
                    && let Some(end) = level_end(opening, closing, depth)
                {
                    return Some(at + end);
                }
                depth = depth + opening.count_ones() as usize - closed;
                None
            };
            let (pieces, _) = bytes.get(from..)?.as_chunks();
            let mut at = from;
            for piece in pieces {
                if let Some(end) = end(at, piece) {
                    return Some(end);
                }
                at += 64;
            }
            end(at, &padded(bytes, at))
        }

        /// Returns the offset after the bracket that closes the outermost of `depth` levels.
        #[cold]
        #[inline(never)]
        #[target_feature(enable = $features)]
        fn level_end(opening: u64, closing: u64, depth: usize) -> Option<usize> {
            let mut rest = closing;
            let mut closed = 0;
            while rest != 0 {
                let at = rest.trailing_zeros();
                closed += 1;
                let opened = (opening & ((1u64 << at) - 1)).count_ones() as usize;
                if closed == depth + opened {
                    return Some(at as usize + 1);
                }
                rest &= rest - 1;
            }
            None
        }

        #[target_feature(enable = $features)]
        pub(in crate::json) fn key_ends(
            bytes: &[u8],
            level: QuoteLevel,
            words: &mut Vec<u64>,
        ) -> () {
            let mut before = Carry::default();
            words.clear();
            words.reserve(bytes.len() / 64 + 1);
            let mut at = 0;
            while at < bytes.len() {
                let quotes = $lanes::at(bytes, at).quotes(bytes, at, level, &mut before);
                words.push(quotes & $lanes::at(bytes, at + 1).may_follow_key());
                at += 64;
            }
            // Nothing follows the last byte.
            if let Some(last) = words.last_mut() {
                *last &= !(1u64 << ((bytes.len() + 63) % 64));
            }
        }

        #[target_feature(enable = $features)]
        pub(in crate::json) fn marks_of_container(
            bytes: &[u8],
            level: QuoteLevel,
            names: &[Ends],
            words: &mut Vec<Word>,
            alike: &mut Vec<usize>,
        ) -> Option<usize> {
            let mut before = Carry::default();
            let mut in_string = 0u64;
            let mut depth = 0usize;
            let mut at = 0;
            words.clear();
            alike.clear();
            while at < bytes.len() {
                let block = $lanes::at(bytes, at);
                let quotes = block.quotes(bytes, at, level, &mut before);
                let word = block.word(quotes, &mut in_string);
                let mut quotes = self::alike(&word, bytes, at, names);
                while quotes != 0 {
                    alike.push(at + quotes.trailing_zeros() as usize);
                    quotes &= quotes - 1;
                }
                let closed = word.close.count_ones() as usize;
                if closed > 0
                    && closed >= depth
                    && let Some(end) = level_end(word.open, word.close, depth)
                {
                    words.push(word.until(end));
                    return Some(at + end);
                }
                words.push(word);
                depth = (depth + word.open.count_ones() as usize).checked_sub(closed)?;
                at += 64;
            }
            None
        }

        #[target_feature(enable = $features)]
        pub(in crate::json) fn is_one_container(bytes: &[u8], level: QuoteLevel) -> bool {
            let mut before = Carry::default();
            let mut in_string = 0u64;
            let mut depth = 0usize;
            let mut at = 0;
            while at < bytes.len() {
                let block = $lanes::at(bytes, at);
                let quotes = block.quotes(bytes, at, level, &mut before);
                let word = block.word(quotes, &mut in_string);
                let closed = word.close.count_ones() as usize;
                if closed > 0
                    && closed >= depth
                    && let Some(end) = level_end(word.open, word.close, depth)
                {
                    return at + end == bytes.len();
                }
                depth += word.open.count_ones() as usize;
                let Some(less) = depth.checked_sub(closed) else {
                    return false;
                };
                depth = less;
                at += 64;
            }
            false
        }

        /// Returns the opening quotes in the 64 bytes at `at` that the ends of one of the names follow at the right distance.
        #[inline]
        #[target_feature(enable = $features)]
        fn alike(word: &Word, bytes: &[u8], at: usize, names: &[Ends]) -> u64 {
            let mut alike = 0;
            for name in names {
                let first = $lanes::at(bytes, at + 1).equal(name.first);
                alike |= first & $lanes::at(bytes, at + name.len).equal(name.last);
            }
            alike & word.quotes & word.strings
        }

        #[target_feature(enable = $features)]
        pub(in crate::json) fn windows(
            bytes: &[u8],
            wanted: &Windows,
            found: &mut Vec<Hits>,
        ) -> () {
            let lookups = wanted.tables().each_ref().map(|table| $lookup::of(table));
            // Written without a branch, because hits are unpredictable.
            let mut room = [Hits::default(); 64];
            let mut count = 0;
            let mut from = 0;
            while let Some(piece) = bytes.get(from..).and_then(<[u8]>::first_chunk) {
                let bits = fits(&lookups, piece);
                if let Some(place) = room.get_mut(count) {
                    *place = Hits { from, bits };
                }
                count += usize::from(bits != 0);
                if count == room.len() {
                    found.extend_from_slice(&room);
                    count = 0;
                }
                from += 64;
            }
            found.extend_from_slice(room.get(..count).unwrap_or_default());
            let bits = fits(&lookups, &padded(bytes, from))
                & below((bytes.len() + 1).saturating_sub(from + REACH));
            if bits != 0 {
                found.push(Hits { from, bits });
            }
        }

        /// Returns the positions in the first 64 bytes at which windows may match.
        #[inline]
        #[target_feature(enable = $features)]
        fn fits([first, second, third]: &[$lookup; SPAN], piece: &[u8; 64 + REACH - 1]) -> u64 {
            const { assert!(STEP == 2, "the places of the bytes that are looked at") };
            let [at_first @ .., _, _, _, _] = piece;
            let [_, _, at_second @ .., _, _] = piece;
            let [_, _, _, _, at_third @ ..] = piece;
            $lookup::all([
                (first, $lanes::load(at_first)),
                (second, $lanes::load(at_second)),
                (third, $lanes::load(at_third)),
            ])
        }

        /// Returns the last opening bracket that no bracket closes; `closed` brackets after the 64 bytes have their opening ones here
        /// or earlier. Without one, returns the number of closing brackets whose opening ones are before this block.
        #[inline]
        #[target_feature(enable = $features)]
        fn innermost(
            mut opening: u64,
            mut closing: u64,
            mut closed: usize,
        ) -> Result<usize, usize> {
            while opening != 0 {
                let last = opening.ilog2();
                let behind = (closing >> last).count_ones() as usize;
                if closed + behind == 0 {
                    return Ok(last as usize);
                }
                closed = closed + behind - 1;
                let before = (1u64 << last) - 1;
                opening &= before;
                closing &= before;
            }
            Err(closed + closing.count_ones() as usize)
        }

        #[target_feature(enable = $features)]
        pub(in crate::json) fn open_before(
            bytes: &[u8],
            at: usize,
            floor: usize,
            level: QuoteLevel,
        ) -> Innermost {
            // All ones if the text that has been searched begins inside a string.
            let mut in_string = 0u64;
            // The number of closing brackets whose opening ones are not found yet.
            let mut closed = 0usize;
            let mut backslashes = 0usize;
            let mut end = at.min(bytes.len());
            while end > floor {
                let start = end.saturating_sub(64).max(floor);
                let block = $lanes::at(bytes, start);
                let inside = below(end - start);
                // A row of backslashes that began before the previous block has already been counted.
                backslashes = match backslashes.checked_sub(end - start) {
                    Some(rest) if rest > 0 => rest,
                    _ => backslashes_before(bytes, start),
                };
                let quotes = block.quotes(bytes, start, level, &mut Carry::behind(backslashes));
                let quotes = quotes & inside;
                // The state before the block follows from that after it.
                in_string ^= 0u64.wrapping_sub(u64::from(quotes.count_ones()) % 2);
                let word = block.word(quotes, &mut in_string.clone());
                match innermost(word.open & inside, word.close & inside, closed) {
                    Ok(open) => return Innermost::Bracket(start + open),
                    Err(still) => closed = still,
                }
                end = start;
            }
            Innermost::Nothing {
                closed,
                in_string: in_string != 0,
            }
        }

        impl $lanes {
            /// Quotes that begin or end a string.
            #[inline]
            #[target_feature(enable = $features)]
            fn quotes(self, bytes: &[u8], at: usize, level: QuoteLevel, before: &mut Carry) -> u64 {
                match level {
                    QuoteLevel::Document => {
                        self.equal(b'"') & !before.escapes.next(self.equal(b'\\'))
                    }
                    QuoteLevel::String => self.quotes_in_string(bytes, at, before),
                }
            }

            /// Quotes of a document within a string.
            #[inline]
            #[target_feature(enable = $features)]
            fn quotes_in_string(self, bytes: &[u8], at: usize, before: &mut Carry) -> u64 {
                let backslashes = self.equal(b'\\');
                let behind = backslashes << 1 | before.backslash;
                let mut quotes = self.equal(b'"') & behind;
                // Two in a row, here or before the 64 bytes.
                let rows = behind & backslashes;
                if rows | quotes & before.row != 0 {
                    quotes = quotes_of_string(bytes, at, quotes);
                }
                before.backslash = backslashes >> 63;
                before.row = rows >> 63;
                quotes
            }

            /// Returns the brackets of 64 bytes. `in_string` is all ones if they begin inside a string, and afterwards if they end
            /// inside one.
            #[inline]
            #[target_feature(enable = $features)]
            fn word(self, quotes: u64, in_string: &mut u64) -> Word {
                let strings = parities(quotes) ^ *in_string;
                *in_string = 0u64.wrapping_sub(strings >> 63);
                let braces = self.as_braces();
                Word {
                    quotes,
                    strings,
                    open: braces.equal(b'{') & !strings,
                    close: braces.equal(b'}') & !strings,
                }
            }
        }
    };
}

pub(super) use wide;
