//! A gzip stream of any number of members (RFC 1952), pulled as plain bytes.

use flate2::bufread::GzDecoder;
use std::io::{self, BufRead, Read};

/// What every member begins with.
pub(crate) const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Decodes member after member. What follows the last one and is no member is passed over, as gzip does: zeros are the padding of a tape's
/// or a device's blocks.
pub(crate) struct GzipReader<R> {
    /// Missing only while one member gives way to the next.
    member: Option<GzDecoder<R>>,
    ended: bool,
    ignored: u64,
}

impl<R: BufRead> GzipReader<R> {
    pub(crate) fn new(source: R) -> Self {
        Self { member: Some(GzDecoder::new(source)), ended: false, ignored: 0 }
    }

    pub(crate) fn get_ref(&self) -> Option<&R> {
        self.member.as_ref().map(GzDecoder::get_ref)
    }

    /// Bytes behind the last member, if they are not all zeros.
    pub(crate) fn ignored(&self) -> u64 {
        self.ignored
    }

    /// A member has ended: turns to the next, if there is one.
    fn turn(&mut self) -> io::Result<()> {
        let Some(member) = self.member.take() else { return Ok(()) };
        let mut source = member.into_inner();
        // A lone byte at the end of what is at hand may be half of the magic.
        let rest = source.fill_buf()?;
        let is_member = !rest.is_empty() && rest.iter().zip(&MAGIC).all(|(a, b)| a == b);
        self.ended = !is_member;
        let passed = if is_member { Ok(0) } else { pass_over(&mut source) };
        self.member = Some(GzDecoder::new(source));
        self.ignored = passed?;
        Ok(())
    }
}

/// Reads to the end; how many bytes that was, or 0 if all of them are.
fn pass_over(source: &mut impl BufRead) -> io::Result<u64> {
    let (mut count, mut zeros) = (0, true);
    loop {
        let rest = source.fill_buf()?;
        if rest.is_empty() {
            return Ok(if zeros { 0 } else { count });
        }
        let len = rest.len();
        zeros &= rest.iter().all(|&byte| byte == 0);
        count += len as u64;
        source.consume(len);
    }
}

impl<R: BufRead> Read for GzipReader<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while !self.ended
            && !buf.is_empty()
            && let Some(member) = &mut self.member
        {
            let read = member.read(buf)?;
            if read > 0 {
                return Ok(read);
            }
            self.turn()?;
        }
        Ok(0)
    }
}
