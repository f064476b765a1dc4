//! Names of files: which are captures, and what an upload may be called.

/// Bytes that a name may have: some filesystems take no more than 143, and a number may be added.
const LONGEST: usize = 120;

/// Names that Windows keeps for devices, whatever follows their first dot.
const DEVICES: [&str; 4] = ["CON", "PRN", "AUX", "NUL"];

/// Whether a file of this name is listed: `slow.pcap`, `ring.pcap12`, `x.pcapng.gz`, `y.cap.zst`. Files with a dot in front are hidden.
pub(super) fn is_capture(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let endings = [".pcap", ".cap", ".dmp"];
    !name.starts_with('.') && endings.iter().any(|ending| name.contains(ending))
}

/// A name for an upload that means one plain file on every system, and is listed: no folders, no control characters, no device.
pub(super) fn safe(given: &str) -> String {
    let last = given.rsplit(['/', '\\']).next().unwrap_or_default();
    let plain = |c: char| if c.is_alphanumeric() || "-_.+=@ ()".contains(c) { c } else { '_' };
    let name: String = last.chars().map(plain).collect();
    let mut name = shortened(name.trim_matches(['.', ' ']));
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    let port =
        ["COM", "LPT"].iter().any(|p| stem.strip_prefix(p).is_some_and(|n| n.chars().count() == 1));
    if port || DEVICES.contains(&stem.as_str()) {
        name.insert(0, '_');
    }
    if name.is_empty() {
        name.push_str("capture");
    }
    if !is_capture(&name) {
        name.push_str(".pcap");
    }
    name
}

/// The same name with a number in it, for when it is taken.
pub(super) fn numbered(name: &str, number: u32) -> String {
    match name.split_once('.') {
        _ if number < 2 => name.to_owned(),
        Some((stem, rest)) => format!("{stem}-{number}.{rest}"),
        None => format!("{name}-{number}"),
    }
}

/// Cut in the front: the ending says what it is.
fn shortened(name: &str) -> String {
    let mut from = name.len().saturating_sub(LONGEST);
    while !name.is_char_boundary(from) {
        from += 1;
    }
    name.get(from..).unwrap_or_default().trim_matches(['.', ' ']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upload_can_only_be_called_something_harmless() {
        for (given, name) in [
            ("slow.pcap", "slow.pcap"),
            ("../../etc/cron.d/x.pcap", "x.pcap"),
            ("C:\\Users\\me\\a b.pcapng", "a b.pcapng"),
            ("/etc/passwd", "passwd.pcap"),
            ("..", "capture.pcap"),
            ("", "capture.pcap"),
            (".hidden.pcap", "hidden.pcap"),
            ("con.pcap", "_con.pcap"),
            ("COM1.pcap", "_COM1.pcap"),
            ("a\0b\n\u{202e}.pcap", "a_b__.pcap"),
            ("<img src=x onerror=alert(1)>.pcap", "_img src=x onerror=alert(1)_.pcap"),
            ("慢.pcap.gz", "慢.pcap.gz"),
        ] {
            assert_eq!(safe(given), name, "{given:?}");
        }
        let long = safe(&format!("{}.pcap", "ü".repeat(500)));
        assert!(long.len() <= LONGEST && long.ends_with("ü.pcap"), "{long}");
    }

    #[test]
    fn captures_are_known_by_name() {
        for name in ["a.pcap", "a.PCAPNG", "ring.pcap12", "a.cap.gz", "x_00001.pcapng.zst"] {
            assert!(is_capture(name), "{name}");
        }
        for name in [".a.pcap", "notes.txt", "pcap", "a.tar.gz"] {
            assert!(!is_capture(name), "{name}");
        }
    }

    #[test]
    fn a_taken_name_gets_a_number_before_its_ending() {
        assert_eq!(numbered("slow.pcap.gz", 1), "slow.pcap.gz");
        assert_eq!(numbered("slow.pcap.gz", 3), "slow-3.pcap.gz");
    }
}
