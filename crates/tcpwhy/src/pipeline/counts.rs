//! What became of the frames.

use tcpwhy_core::advice::quantity::count;
use tcpwhy_core::decode::{Decoded, LinkType};

/// Frames by what became of them.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    /// All.
    pub frames: u64,
    /// Held a TCP segment.
    pub tcp: u64,
    fragments: u64,
    cut: u64,
    malformed: u64,
    encrypted: u64,
    /// By link type: a capture has few.
    unsupported: Vec<(LinkType, u64)>,
}

impl Counts {
    /// Counts one frame.
    pub(crate) fn add(&mut self, decoded: &Decoded, link: LinkType) {
        self.frames += 1;
        match decoded {
            Decoded::Segment => self.tcp += 1,
            Decoded::NotTcp => {}
            Decoded::LaterFragment => self.fragments += 1,
            Decoded::Cut => self.cut += 1,
            Decoded::Malformed => self.malformed += 1,
            Decoded::Encrypted => self.encrypted += 1,
            Decoded::UnsupportedLink => {
                match self.unsupported.iter_mut().find(|(known, _)| known.0 == link.0) {
                    Some((_, n)) => *n += 1,
                    None => self.unsupported.push((link, 1)),
                }
            }
        }
    }

    /// What the analysis had to do without, a sentence each.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let told = [
            (self.fragments, "later IP fragments: only the first of each datagram can be read"),
            (self.cut, "packets were cut before their TCP header ended (snap length too short)"),
            (self.malformed, "packets have malformed headers and were left out"),
            (self.encrypted, "packets are encrypted below TCP and could not be read"),
        ];
        let mut warnings: Vec<_> = told
            .iter()
            .filter(|(n, _)| *n > 0)
            .map(|(n, what)| format!("{} {what}", count(*n)))
            .collect();
        warnings.extend(self.unsupported.iter().map(|(link, n)| {
            format!("{} packets of link type {} cannot be read", count(*n), name(*link))
        }));
        warnings
    }

    /// The link types by name, if all frames are of unsupported ones.
    pub(crate) fn only_unsupported(&self) -> Option<String> {
        let unsupported: u64 = self.unsupported.iter().map(|(_, n)| n).sum();
        let names: Vec<_> = self.unsupported.iter().map(|(link, _)| name(*link)).collect();
        (unsupported > 0 && unsupported == self.frames).then(|| names.join(", "))
    }
}

/// "USB_LINUX (189)", or the number alone.
fn name(link: LinkType) -> String {
    match link.name() {
        Some(name) => format!("{name} ({})", link.0),
        None => link.0.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_lost_is_warned_of() {
        let mut counts = Counts::default();
        counts.add(&Decoded::Segment, LinkType(1));
        counts.add(&Decoded::NotTcp, LinkType(1));
        assert!(counts.warnings().is_empty());
        counts.add(&Decoded::Cut, LinkType(1));
        assert_eq!(counts.warnings().len(), 1);
        assert_eq!((counts.frames, counts.tcp), (3, 1));
    }

    #[test]
    fn an_unsupported_link_type_is_named_and_fatal_only_when_alone() {
        let mut counts = Counts::default();
        counts.add(&Decoded::UnsupportedLink, LinkType(65_000));
        counts.add(&Decoded::UnsupportedLink, LinkType(65_000));
        assert_eq!(counts.only_unsupported().as_deref(), Some("65000"));
        counts.add(&Decoded::Segment, LinkType(1));
        assert_eq!(counts.only_unsupported(), None);
        assert_eq!(counts.warnings(), ["2 packets of link type 65000 cannot be read"]);
    }
}
