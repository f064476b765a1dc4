//! What became of the frames.

use tcpwhy_core::advice::Language;
use tcpwhy_core::advice::quantity::count;
use tcpwhy_core::decode::{Decoded, LinkType};
use tcpwhy_report::Warning;

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
    pub(crate) fn warnings(&self) -> Vec<Warning> {
        let told = [
            (self.fragments, Without::Fragments),
            (self.cut, Without::Cut),
            (self.malformed, Without::Malformed),
            (self.encrypted, Without::Encrypted),
        ];
        let links = self.unsupported.iter().map(|(link, n)| (*n, Without::Link(*link)));
        let told = told.into_iter().filter(|(n, _)| *n > 0).chain(links);
        told.map(|(n, what)| Warning::new(|language| what.text(n, language))).collect()
    }

    /// The link types by name, if all frames are of unsupported ones.
    pub(crate) fn only_unsupported(&self) -> Option<String> {
        let unsupported: u64 = self.unsupported.iter().map(|(_, n)| n).sum();
        let names: Vec<_> = self.unsupported.iter().map(|(link, _)| name(*link)).collect();
        (unsupported > 0 && unsupported == self.frames).then(|| names.join(", "))
    }
}

/// Frames that gave no segment, though they may have held one.
#[derive(Clone, Copy)]
enum Without {
    Fragments,
    Cut,
    Malformed,
    Encrypted,
    Link(LinkType),
}

impl Without {
    fn text(self, n: u64, language: Language) -> String {
        let one = n == 1;
        let (packets, were, have) =
            if one { ("packet", "was", "has") } else { ("packets", "were", "have") };
        let are = if one { "is" } else { "are" };
        let n = count(n);
        match (language, self) {
            (Language::En, Self::Fragments) => {
                format!("{n} later IP fragments: only the first of each datagram can be read")
            }
            (Language::En, Self::Cut) => {
                format!(
                    "{n} {packets} {were} cut before the TCP header ended (snap length too short)"
                )
            }
            (Language::En, Self::Malformed) => {
                format!("{n} {packets} {have} malformed headers and {were} left out")
            }
            (Language::En, Self::Encrypted) => {
                format!(
                    "{n} {packets} {are} encrypted or compressed below TCP and could not be read"
                )
            }
            (Language::En, Self::Link(link)) => {
                format!("{n} {packets} of link type {} cannot be read", name(link))
            }
            (Language::Zh, Self::Fragments) => {
                format!("{n} 个后续 IP 分片：每个数据报只有第一片可以解读")
            }
            (Language::Zh, Self::Cut) => {
                format!("{n} 个包在 TCP 头部结束之前被截断（抓包长度 snaplen 太短）")
            }
            (Language::Zh, Self::Malformed) => format!("{n} 个包的头部格式错误，未予分析"),
            (Language::Zh, Self::Encrypted) => format!("{n} 个包在 TCP 之下加密或压缩，无法读取"),
            (Language::Zh, Self::Link(link)) => {
                format!("{n} 个链路类型为 {} 的包无法读取", name(link))
            }
        }
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
        let said = |language| counts.warnings()[0].text(language).to_owned();
        assert_eq!(said(Language::En), "2 packets of link type 65000 cannot be read");
        assert_eq!(said(Language::Zh), "2 个链路类型为 65000 的包无法读取");
    }
}
