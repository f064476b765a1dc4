//! Numbers for the page: little when they change little. Read back by `web/src/columns.ts`.
//!
//! A picture is one stream of variable-length integers (zigzag, 7 bits a byte, low bits first), then zlib, then base64. First the unit
//! of all times in ns. For each of the two tracks, each series in the order of [`series`]: the number of points, samples per point, and five columns of differences
//! (start, duration, low value, height, frame); then the marks: their number and four columns (kind by its place in [`tcpwhy_core::picture::Mark::ALL`], time, place, frame).
//! After them 0, or 2 and for each direction the series of its sockets in the order of [`sockets`].

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::io::{self, Write};
use tcpwhy_core::picture::{Picture, Series, Sockets, Track};
use tcpwhy_core::units::Nanos;

/// `bytes` compressed.
///
/// # Errors
/// None in practice: it is written to memory.
pub(super) fn compressed(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::new(6));
    zlib.write_all(bytes)?;
    zlib.finish()
}

/// `bytes` compressed, as text that can stand in a page.
///
/// # Errors
/// None in practice: it is written to memory.
pub(super) fn packed(bytes: &[u8]) -> io::Result<String> {
    Ok(STANDARD.encode(compressed(bytes)?))
}

/// The stream of one picture, with times from `start` on.
pub(super) fn picture(picture: &Picture, start: Nanos) -> Vec<u8> {
    let mut out = Stream { bytes: Vec::new(), unit: unit(picture) };
    out.number(out.unit);
    for track in &picture.tracks {
        for s in series(track) {
            let values = if std::ptr::eq(s, &track.rtt) { out.unit } else { 1 };
            out.series(s, start, values);
        }
        out.marks(track, start);
    }
    let both = picture.sockets.as_deref().map_or(&[][..], |both| both);
    out.number(both.len() as i64);
    for s in both.iter().flat_map(sockets) {
        out.series(s, start, 1);
    }
    out.bytes
}

/// Nanoseconds, unless many packets a second would be told to less than a hundredth of what is between them: most of a page's size is the
/// last digits of its times. Never more than a microsecond, as tcpdump prints.
fn unit(picture: &Picture) -> i64 {
    let points = || picture.tracks.iter().flat_map(|t| t.data.points());
    let (Some(first), Some(last)) = (points().map(|p| p.from).min(), points().map(|p| p.to).max())
    else {
        return 1;
    };
    let between = (last - first).0 / points().count().max(1) as i64;
    [1000, 100, 10].into_iter().find(|unit| unit * 100 <= between).unwrap_or(1)
}

/// The order in which the page expects the series.
fn series(t: &Track) -> [&Series; 8] {
    [&t.data, &t.resent, &t.acks, &t.sacks, &t.edge, &t.window, &t.rtt, &t.flight]
}

/// The order in which the page expects the series of sockets.
fn sockets(s: &Sockets) -> [&Series; 7] {
    [
        &s.send_queue,
        &s.send_memory,
        &s.send_buffer,
        &s.cwnd,
        &s.ssthresh,
        &s.receive_queue,
        &s.receive_buffer,
    ]
}

struct Stream {
    bytes: Vec<u8>,
    /// What times are counted in, ns.
    unit: i64,
}

impl Stream {
    /// A series whose values are counted in `values`.
    fn series(&mut self, series: &Series, start: Nanos, values: i64) {
        let points = series.points();
        self.number(points.len() as i64);
        self.number(i64::from(series.samples_per_point()));
        let unit = self.unit;
        let time = |t: Nanos| (t - start).0.div_euclid(unit);
        let value = |v: i64| v.div_euclid(values);
        self.column(points.iter().map(|p| time(p.from)));
        self.column(points.iter().map(|p| time(p.to) - time(p.from)));
        self.column(points.iter().map(|p| value(p.low)));
        self.column(points.iter().map(|p| value(p.high).saturating_sub(value(p.low))));
        self.column(points.iter().map(|p| p.frame as i64));
    }

    fn marks(&mut self, track: &Track, start: Nanos) {
        let marks = &track.marks;
        self.number(marks.len() as i64);
        let unit = self.unit;
        self.column(marks.iter().map(|m| m.0 as i64));
        self.column(marks.iter().map(|m| (m.1 - start).0.div_euclid(unit)));
        self.column(marks.iter().map(|m| m.2));
        self.column(marks.iter().map(|m| m.3 as i64));
    }

    /// Differences between neighbours, the first one to 0.
    fn column(&mut self, values: impl Iterator<Item = i64>) {
        let mut before = 0_i64;
        for value in values {
            self.number(value.wrapping_sub(before));
            before = value;
        }
    }

    fn number(&mut self, value: i64) {
        let mut rest = ((value << 1) ^ (value >> 63)) as u64;
        while rest >= 0x80 {
            self.bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        self.bytes.push(rest as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(unit: i64) -> Stream {
        Stream { bytes: Vec::new(), unit }
    }

    #[test]
    fn numbers_take_as_many_bytes_as_they_need() {
        let mut out = stream(1);
        for value in [0, -1, 1, 63, 64, i64::MIN] {
            out.number(value);
        }
        let expected = [0, 1, 2, 126, 0x80, 1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1];
        assert_eq!(out.bytes, expected);
    }

    #[test]
    fn a_series_is_counts_then_columns_of_differences() {
        let mut series = Series::new(4);
        series.push(Nanos(105), 0, 10, 7);
        series.push(Nanos(108), 10, 15, 9);
        let mut out = stream(1);
        out.series(&series, Nanos(100), 1);
        // 2 points, 1 sample each; starts 5, +3; durations 0, 0; low 0, +10; heights 10, -5; frames 7, +2.
        assert_eq!(out.bytes, [4, 2, 10, 6, 0, 0, 0, 20, 20, 9, 14, 4]);
    }

    #[test]
    fn times_and_measured_times_are_counted_in_the_unit() {
        let mut series = Series::new(4);
        series.push(Nanos(3_999), 20_500, 20_500, 1);
        let mut out = stream(1000);
        out.series(&series, Nanos(1_000), 1000);
        // 1 point, 1 sample; start 2; duration 0; low 20; height 0; frame 1.
        assert_eq!(out.bytes, [2, 2, 4, 0, 40, 0, 2]);
    }
}
