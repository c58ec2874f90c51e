//! 64 bytes at a time, in one register or in two.

pub(super) mod avx2;
pub(super) mod avx512;
mod block;
mod wide;
