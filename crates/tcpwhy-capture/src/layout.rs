//! How long the record headers of a pcap file are, where its magic does not tell.
//!
//! Three patched libpcaps of the late 1990s and Nokia's firewalls wrote longer record headers, some
//! of them under the standard magic. As Wireshark does, the first records are read under each
//! layout until one makes sense (wiretap/libpcap.c, `libpcap_open`).

use crate::pcap::{FileHeader, MAX_CAPTURED, RECORD_HEADER};

/// Records that are tried.
const TRIES: usize = 3;
/// No packet on any wire is longer.
const MAX_WIRE: u32 = 64 << 20;

/// The bytes that follow the 16 standard ones in each record header: the first candidate unless it
/// makes no sense and another does.
pub(crate) fn extra_header_bytes(
    header: &FileHeader,
    at_hand: &[u8],
    candidates: &[usize],
) -> usize {
    let standard = candidates.first().copied().unwrap_or(0);
    if candidates.len() < 2 || try_layout(header, at_hand, standard).is_some() {
        return standard;
    }
    let fits = |extra: &usize| try_layout(header, at_hand, *extra).is_some_and(|sound| sound >= 2);
    candidates.iter().copied().find(fits).unwrap_or(standard)
}

/// How many whole records were sound under a layout; `None` as soon as one is not.
fn try_layout(header: &FileHeader, at_hand: &[u8], extra: usize) -> Option<usize> {
    let mut rest = at_hand;
    for sound in 0..TRIES {
        let Some(chunk) = rest.first_chunk::<RECORD_HEADER>() else { return Some(sound) };
        let record = header.record(chunk);
        let captured = record.captured as usize;
        let sensible = captured <= MAX_CAPTURED
            && (header.snaplen == 0 || record.captured <= header.snaplen)
            && record.captured <= record.wire
            && record.wire <= MAX_WIRE
            && record.fraction <= header.max_fraction();
        if !sensible {
            return None;
        }
        match rest.get(RECORD_HEADER + extra + captured..) {
            Some(next) => rest = next,
            None => return Some(sound),
        }
    }
    Some(TRIES)
}
