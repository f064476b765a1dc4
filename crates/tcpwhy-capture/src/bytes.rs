//! Raw bytes of a file or stream, decompressed where they were compressed.

use crate::gzip::{self, GzipReader};
use crate::zstd::ZstdReader;
use std::io::{self, BufReader, Chain, Cursor, Read};

/// What is read before the compression is known; enough for the first packets of a plain file.
const HEAD: usize = 64 * 1024;
/// Most bytes asked of a decompressor at once. A corrupt deflate stream loses what this call had
/// already produced, so the step is kept small.
const STEP: usize = 16 * 1024;

const ZSTD: [u8; 4] = 0xfd2f_b528_u32.to_le_bytes();

/// Where raw bytes come from.
pub(crate) type Source = Box<dyn Read + Send>;

/// A stream of capture bytes: plain, gzip or zstd, recognised by its first bytes.
pub(crate) struct Bytes {
    decoder: Decoder,
}

enum Decoder {
    Plain(Counted),
    Gzip(Box<GzipReader<BufReader<Counted>>>),
    Zstd(Box<ZstdReader<BufReader<Counted>>>),
}

/// Counts the bytes that were taken from a source.
struct Counted {
    source: Chain<Cursor<Vec<u8>>, Source>,
    count: u64,
}

impl Read for Counted {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.source.read(buf)?;
        self.count += n as u64;
        Ok(n)
    }
}

impl Bytes {
    /// Reads the first bytes of `source` and finds out how they are compressed.
    ///
    /// # Errors
    /// When the source cannot be read.
    pub(crate) fn new(mut source: Source) -> io::Result<Self> {
        let head = read_head(&mut source)?;
        let gzip = head.starts_with(&gzip::MAGIC);
        let zstd = is_zstd(&head);
        let counted = Counted { source: Cursor::new(head).chain(source), count: 0 };
        let decoder = if gzip {
            Decoder::Gzip(Box::new(GzipReader::new(BufReader::new(counted))))
        } else if zstd {
            Decoder::Zstd(Box::new(ZstdReader::new(BufReader::new(counted))))
        } else {
            Decoder::Plain(counted)
        };
        Ok(Self { decoder })
    }

    /// Bytes consumed of the file as it is stored.
    pub(crate) fn consumed(&self) -> u64 {
        match &self.decoder {
            Decoder::Plain(plain) => plain.count,
            Decoder::Gzip(gzip) => gzip.get_ref().map_or(0, |source| source.get_ref().count),
            Decoder::Zstd(zstd) => zstd.get_ref().get_ref().count,
        }
    }

    /// Bytes behind the compressed stream that were passed over and are not mere padding.
    pub(crate) fn ignored(&self) -> u64 {
        match &self.decoder {
            Decoder::Gzip(gzip) => gzip.ignored(),
            Decoder::Plain(_) | Decoder::Zstd(_) => 0,
        }
    }

    /// The name of the compression, if any.
    pub(crate) fn compression(&self) -> Option<&'static str> {
        match &self.decoder {
            Decoder::Plain(_) => None,
            Decoder::Gzip(_) => Some("gzip"),
            Decoder::Zstd(_) => Some("zstd"),
        }
    }
}

impl Read for Bytes {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let step = buf.len().min(STEP);
        match &mut self.decoder {
            Decoder::Plain(plain) => plain.read(buf),
            Decoder::Gzip(gzip) => gzip.read(buf.get_mut(..step).unwrap_or_default()),
            Decoder::Zstd(zstd) => zstd.read(buf.get_mut(..step).unwrap_or_default()),
        }
    }
}

/// The first bytes: at least 4 unless the source is shorter, more only if they are already there,
/// so that a growing pipe is not waited for.
fn read_head(source: &mut Source) -> io::Result<Vec<u8>> {
    let mut head = vec![0; HEAD];
    let mut filled = 0;
    while filled < 4 {
        match source.read(head.get_mut(filled..).unwrap_or_default()) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    head.truncate(filled);
    Ok(head)
}

/// Whether this is a zstd frame or a skippable frame (RFC 8878 section 3.1.2).
fn is_zstd(head: &[u8]) -> bool {
    match head.first_chunk::<4>() {
        Some(magic) => *magic == ZSTD || u32::from_le_bytes(*magic) & 0xffff_fff0 == 0x184d_2a50,
        None => false,
    }
}
