//! SO_SNDBUFFORCE, SO_RCVBUFFORCE and the lock bits.

use nix::errno::Errno;
use nix::sys::socket::setsockopt;
use nix::sys::socket::sockopt::{RcvBufForce, SndBufForce};
use socket2::Socket;
use tcpwhy_core::kernel::buffers::{Asked, receive_buffer, send_buffer};
use tcpwhy_core::kernel::send::expanded;
use tcpwhy_core::units::Nanos;
use tcpwhy_live::locks::Locks;

use super::pair::{MSS, borrow, pair, sysctls, unconnected};

const GRID: [u64; 10] = [
    0,
    1,
    2_304,
    2_305,
    16_384,
    212_992,
    4 << 20,
    64 << 20,
    (i32::MAX / 2) as u64,
    i32::MAX as u64,
];

fn force(socket: &Socket, bytes: u64) -> Result<(), Errno> {
    setsockopt(socket, SndBufForce, &(bytes as usize))?;
    setsockopt(socket, RcvBufForce, &(bytes as usize))
}

/// Both locks as the rule says, and both buffers.
fn is_as_computed(locks: Locks, send: Asked, receive: Asked) {
    let sysctls = sysctls();
    assert_eq!(
        [locks.send, locks.receive],
        [send.locks(), receive.locks()],
        "{send:?} {receive:?}"
    );
    assert_eq!(u64::from(locks.sndbuf), send_buffer(send, &sysctls), "{send:?}");
    assert_eq!(u64::from(locks.rcvbuf), receive_buffer(receive, &sysctls), "{receive:?}");
}

#[test]
fn forced_buffers_are_not_clamped_and_every_way_of_setting_one_locks_it() {
    let Some((pair, _link)) = pair(Nanos::ZERO, None) else { return };
    let sockets = pair.inside_client(|| GRID.map(|bytes| (bytes, unconnected(), unconnected())));
    for (bytes, forced, set) in sockets {
        is_as_computed(borrow(&forced).locks().unwrap(), Asked::Automatic, Asked::Automatic);
        match force(&forced, bytes) {
            Err(Errno::EPERM) => {
                println!("skipped: SO_SNDBUFFORCE takes CAP_NET_ADMIN");
                return;
            }
            done => done.unwrap(),
        }
        is_as_computed(
            borrow(&forced).locks().unwrap(),
            Asked::Forced(bytes),
            Asked::Forced(bytes),
        );
        set.set_send_buffer_size(bytes as usize).unwrap();
        is_as_computed(borrow(&set).locks().unwrap(), Asked::Set(bytes), Asked::Automatic);
        set.set_recv_buffer_size(bytes as usize).unwrap();
        is_as_computed(borrow(&set).locks().unwrap(), Asked::Set(bytes), Asked::Set(bytes));
    }
}

#[test]
fn a_locked_send_buffer_stays_and_one_whose_lock_is_off_grows_at_connect() {
    let Some((pair, _link)) = pair(Nanos::ZERO, None) else { return };
    let (asked, most) = (Asked::Set(16_384), sysctls().tcp_wmem[2]);
    let connections = pair.connect(3, |at, socket| {
        if at > 0 {
            socket.set_send_buffer_size(16_384).unwrap();
        }
        if at > 1 {
            borrow(socket).set_lock_bits(0).unwrap();
        }
    });
    let of = |at: usize| u64::from(borrow(&connections[at].0).locks().unwrap().sndbuf);
    // Kernels without wireless meshes and amateur radio have 64 bytes less of headers, which is as if the segment were as much shorter.
    let grown = |from| [0, 64].map(|less| expanded(from, MSS + 12 - less, 10, 3, 2, most));
    let automatic = send_buffer(Asked::Automatic, &sysctls());
    assert!(grown(automatic).contains(&of(0)), "nobody set it: {}", of(0));
    assert_eq!(of(1), send_buffer(asked, &sysctls()), "SOCK_SNDBUF_LOCK");
    assert!(grown(send_buffer(asked, &sysctls())).contains(&of(2)), "SO_BUF_LOCK = 0: {}", of(2));
}
