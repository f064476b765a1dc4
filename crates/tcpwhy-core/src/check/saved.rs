//! The text of `sysctl -a`, of whatever host: untrusted.

use std::collections::BTreeMap;

/// Settings that a text holds, at most: `sysctl -a` prints some thousands.
const MOST: usize = 100_000;

/// The settings of a saved `sysctl -a` (`name = value` a line) or of a file of `sysctl.d`, names with dots, values with single
/// spaces. Lines that are no setting are left out: `sysctl` prints its errors among them. `None`: nothing in it is a setting of
/// the network, so it is some other text.
#[must_use]
pub fn settings(text: &str) -> Option<BTreeMap<String, String>> {
    let found: BTreeMap<_, _> = text.lines().filter_map(setting).take(MOST).collect();
    found
        .keys()
        .any(|name| name.starts_with("net.ipv4.tcp_") || name.starts_with("net.core."))
        .then_some(found)
}

fn setting(line: &str) -> Option<(String, String)> {
    let (name, value) = line.split_once('=')?;
    // A leading dash tells sysctl(8) to go on where the setting does not exist.
    let name = name.trim().trim_start_matches('-').replace('/', ".");
    let plain =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '*' | '@' | ':');
    if name.is_empty() || name.len() > 200 || !name.chars().all(plain) {
        return None;
    }
    Some((name, value.split_whitespace().collect::<Vec<_>>().join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_saved_text_is_read_around_its_errors() {
        let text = "sysctl: permission denied on key 'fs.protected'\nkernel.osrelease = 5.15.0-91-generic\n# a comment\n\
                    net.ipv4.tcp_rmem = 4096\t131072\t6291456\nnet/core/rmem_max=212992\n-net.core.wmem_max = 1\n";
        let found = settings(text).unwrap_or_default();
        assert_eq!(found["net.ipv4.tcp_rmem"], "4096 131072 6291456");
        assert_eq!(found["net.core.rmem_max"], "212992");
        assert_eq!(found["net.core.wmem_max"], "1");
        assert_eq!(found["kernel.osrelease"], "5.15.0-91-generic");
        assert_eq!(found.len(), 4);
    }

    #[test]
    fn other_texts_are_none() {
        for text in
            ["", "hello", "a = b\nc=d", "\u{0}\u{1}=\u{2}", "<html>net.ipv4.tcp_rmem</html>"]
        {
            assert_eq!(settings(text), None, "{text:?}");
        }
    }
}
