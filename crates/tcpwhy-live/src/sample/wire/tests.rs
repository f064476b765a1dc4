//! Answers as the kernel makes them, and as nobody should.

use super::*;
use proptest::prelude::*;

const NUMBER: u32 = 7;

fn attribute(kind: u16, value: &[u8]) -> Vec<u8> {
    let mut raw = Vec::from(((4 + value.len()) as u16).to_ne_bytes());
    raw.extend(kind.to_ne_bytes());
    raw.extend(value);
    raw.resize(raw.len().next_multiple_of(4), 0);
    raw
}

fn message(kind: u16, number: u32, body: &[u8]) -> Vec<u8> {
    let mut raw = Vec::from(((HEADER + body.len()) as u32).to_ne_bytes());
    raw.extend(kind.to_ne_bytes());
    raw.extend([2, 0]);
    raw.extend(number.to_ne_bytes());
    raw.extend([0; 4]);
    raw.extend(body);
    raw.resize(raw.len().next_multiple_of(4), 0);
    raw
}

/// A socket with the cookie `cookie`, and these attributes.
fn body(cookie: u32, attributes: &[(u16, Vec<u8>)]) -> Vec<u8> {
    let mut raw = vec![0; DIAG_MSG];
    raw[..4].copy_from_slice(&[2, 1, 0, 0]);
    raw[4..8].copy_from_slice(&[0x0c, 0xea, 0xc3, 0x50]);
    raw[8..12].copy_from_slice(&[10, 0, 0, 1]);
    raw[24..28].copy_from_slice(&[10, 0, 0, 2]);
    raw[44..48].copy_from_slice(&cookie.to_ne_bytes());
    raw[68..72].copy_from_slice(&4711_u32.to_ne_bytes());
    for (kind, value) in attributes {
        raw.extend(attribute(*kind, value));
    }
    raw
}

fn usual() -> Vec<(u16, Vec<u8>)> {
    vec![
        (INET_DIAG_INFO, vec![1; 280]),
        (INET_DIAG_SKMEMINFO, (0..9_u32).flat_map(u32::to_ne_bytes).collect()),
        (INET_DIAG_CONG, b"cubic\0".to_vec()),
        (INET_DIAG_CGROUP_ID, 9_u64.to_ne_bytes().to_vec()),
    ]
}

fn cookies(raw: &[u8]) -> (Vec<u64>, End) {
    let mut found = Vec::new();
    let end = sockets(raw, NUMBER, |view| found.push(view.cookie));
    (found, end)
}

#[test]
fn a_socket_is_read_where_it_lies() {
    let raw = message(TCPDIAG_GETSOCK, NUMBER, &body(3, &usual()));
    let mut count = 0;
    sockets(&raw, NUMBER, |view| {
        count += 1;
        assert_eq!(view.local.to_string(), "10.0.0.1:3306");
        assert_eq!(view.remote.to_string(), "10.0.0.2:50000");
        assert_eq!((view.inode, view.cookie, view.cgroup), (4711, 3, 9));
        assert_eq!((view.congestion, view.tcp_info.len()), ("cubic", 280));
        assert!(view.skmem().eq(0..9));
    });
    assert_eq!(count, 1);
}

#[test]
fn the_end_is_told_with_its_error_and_answers_to_others_are_left_out() {
    let end = |kind, errno: i32| cookies(&message(kind, NUMBER, &errno.to_ne_bytes())).1;
    assert_eq!(end(NLMSG_DONE, 0), End::Done);
    assert_eq!(end(NLMSG_DONE, -12), End::Refused(12));
    assert_eq!(end(NLMSG_ERROR, -2), End::Refused(2));
    let mut raw = message(SOCK_DIAG_BY_FAMILY, NUMBER + 1, &body(1, &usual()));
    raw.extend(message(SOCK_DIAG_BY_FAMILY, NUMBER, &body(2, &usual())));
    assert_eq!(cookies(&raw), (vec![2], End::More));
}

#[test]
fn unknown_short_and_missing_attributes_cost_nothing_but_themselves() {
    let odd = [(999, vec![1; 3]), (INET_DIAG_SKMEMINFO, vec![1; 6]), (INET_DIAG_CONG, vec![0xff])];
    let mut raw = message(SOCK_DIAG_BY_FAMILY, NUMBER, &body(1, &odd));
    raw.extend(message(SOCK_DIAG_BY_FAMILY, NUMBER, &body(2, &[])));
    let mut seen = Vec::new();
    sockets(&raw, NUMBER, |view| {
        seen.push((view.cookie, view.skmem().count(), view.congestion.to_owned()));
    });
    assert_eq!(seen, [(1, 1, String::new()), (2, 0, String::new())]);
}

#[test]
fn a_cut_answer_gives_the_whole_sockets_before_the_cut() {
    let one = message(SOCK_DIAG_BY_FAMILY, NUMBER, &body(1, &usual()));
    let raw = [one.clone(), message(SOCK_DIAG_BY_FAMILY, NUMBER, &body(2, &usual()))].concat();
    for length in 0..raw.len() {
        let whole = length / one.len();
        assert_eq!(cookies(&raw[..length]).0.len(), whole, "{length}");
    }
}

proptest! {
    #[test]
    fn no_bytes_are_a_panic(raw in prop::collection::vec(any::<u8>(), 0..600)) {
        cookies(&raw);
    }

    /// Lengths that lie, attributes that reach beyond their message, messages that reach beyond the datagram.
    #[test]
    fn no_damage_is_a_panic_or_makes_sockets_up(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut raw: Vec<u8> = (1..4).flat_map(|n| message(20, NUMBER, &body(n, &usual()))).collect();
        for (at, value) in changes {
            let at = at.index(raw.len());
            raw[at] = value;
        }
        raw.truncate(cut.index(raw.len() + 1));
        // A message takes 88 bytes at least.
        prop_assert!(cookies(&raw).0.len() <= raw.len() / (HEADER + DIAG_MSG));
        sockets(&raw, NUMBER, |view| {
            let _ = crate::sample::Sample::from(view);
        });
    }
}
