//! A zstd stream of any number of frames (RFC 8878), pulled as plain bytes.

use crate::damage::Damage;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::{self, BufRead, Read};

/// A last, raw, empty block and room for the checksum: what makes a frame that was cut complete.
const TERMINATOR: [u8; 7] = [1, 0, 0, 0, 0, 0, 0];

/// The largest window that the zstd command can be told to take in (`--long=31`), bytes. A larger one is more likely to be none.
const LARGEST_WINDOW: u64 = 1 << 31;

/// Decodes frame after frame. When the stream is cut or corrupt, everything decoded up to there is
/// handed out before the error.
pub(crate) struct ZstdReader<R> {
    source: R,
    decoder: FrameDecoder,
    in_frame: bool,
    failure: Option<io::Error>,
}

impl<R: BufRead> ZstdReader<R> {
    pub(crate) fn new(source: R) -> Self {
        Self { source, decoder: FrameDecoder::new(), in_frame: false, failure: None }
    }

    pub(crate) fn get_ref(&self) -> &R {
        &self.source
    }

    /// Starts the next frame; false at the end of the stream.
    fn next_frame(&mut self) -> io::Result<bool> {
        loop {
            if self.source.fill_buf()?.is_empty() {
                return Ok(false);
            }
            match self.decoder.reset(&mut self.source) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => self.skip(u64::from(length))?,
                Err(FrameDecoderError::WindowSizeTooBig { requested, max })
                    if requested <= LARGEST_WINDOW =>
                {
                    let bits = requested.next_power_of_two().ilog2();
                    let damage = Damage::WindowTooLarge { bits, limit: max };
                    return Err(io::Error::new(io::ErrorKind::InvalidData, damage));
                }
                Err(error) => return Err(self.classify(&error)),
            }
        }
    }

    fn skip(&mut self, length: u64) -> io::Result<()> {
        let skipped = io::copy(&mut self.source.by_ref().take(length), &mut io::sink())?;
        if skipped < length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(())
    }

    /// Decodes one block; a failure is kept until what came before it was handed out.
    ///
    /// The decoder holds a whole window back for later blocks to refer to (megabytes), and gives it
    /// out only when the frame ends: so the frame is ended for it.
    fn decode_block(&mut self) {
        let strategy = BlockDecodingStrategy::UptoBlocks(1);
        if let Err(error) = self.decoder.decode_blocks(&mut self.source, strategy) {
            self.failure = Some(self.classify(&error));
            let strategy = BlockDecodingStrategy::All;
            let ended = self.decoder.decode_blocks(&TERMINATOR[..], strategy);
            self.in_frame = ended.is_ok();
        }
    }

    /// A stream that failed at its end was cut; anywhere else it is corrupt.
    fn classify(&mut self, error: &FrameDecoderError) -> io::Error {
        match self.source.fill_buf() {
            Ok([]) => io::ErrorKind::UnexpectedEof.into(),
            Ok(_) => io::Error::new(io::ErrorKind::InvalidData, error.to_string()),
            Err(error) => error,
        }
    }

    fn checksum_is_wrong(&self) -> bool {
        let stored = self.decoder.get_checksum_from_data();
        stored.is_some() && stored != self.decoder.get_calculated_checksum()
    }
}

impl<R: BufRead> Read for ZstdReader<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.in_frame && self.decoder.can_collect() > 0 {
                return self.decoder.read(buf);
            }
            if let Some(error) = self.failure.take() {
                return Err(error);
            }
            if !self.in_frame {
                if !self.next_frame()? {
                    return Ok(0);
                }
                self.in_frame = true;
            } else if !self.decoder.is_finished() {
                self.decode_block();
            } else if self.checksum_is_wrong() {
                self.in_frame = false;
                return Err(io::Error::new(io::ErrorKind::InvalidData, "checksum mismatch"));
            } else {
                self.in_frame = false;
            }
        }
    }
}
