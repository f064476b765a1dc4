//! TCP_WINDOW_CLAMP against the window and the scale that the peer sees.

use std::io::{Read, Write};
use std::thread;

use socket2::Socket;
use tcpwhy_core::kernel::Version;
use tcpwhy_core::kernel::buffers::{Asked, receive_buffer};
use tcpwhy_core::kernel::window::{Room, Share, advertised, clamp_asked, opening};
use tcpwhy_core::units::Nanos;

use super::pair::{MSS, borrow, pair, state, sysctls, version};

/// MSS option of a packet of 1,500 bytes.
const ADVERTISED_MSS: u64 = 1_460;
/// Stable releases of older kernels may open as wide, or not.
const OPENS_WIDE: Version = Version::new(6, 10);
/// Kernels whose clamp follows the measured share.
const FOLLOWS_SHARE: Version = Version::new(6, 11);
/// Kernels whose window follows a clamp that is set later.
const FOLLOWS: Version = Version::new(5, 15);

/// What a packet of 1,500 bytes takes on the lab's device.
const FULL_PACKET: u64 = 2_304;
/// What was offered is not taken back: more than any first window here.
const ENOUGH: usize = 600_000;

#[test]
fn a_clamp_set_before_connect_bounds_the_first_window_and_fixes_the_scale() {
    let Some((pair, _link)) = pair(Nanos::ZERO, None) else { return };
    let clamps = [1, 1_152, 1_460, 4_096, 8_192, 30_000, 65_535, 100_000, 500_000, 1 << 24];
    let buffers = [None, Some(8_192), Some(65_536), Some(200_000)];
    let grid: Vec<(Option<u32>, Option<usize>)> = [None]
        .into_iter()
        .chain(clamps.map(Some))
        .flat_map(|clamp| buffers.map(|rcvbuf| (clamp, rcvbuf)))
        .collect();
    let connections = pair.connect(grid.len(), |at, socket| {
        let (clamp, rcvbuf) = grid[at];
        if let Some(bytes) = rcvbuf {
            socket.set_recv_buffer_size(bytes).unwrap();
        }
        if let Some(bytes) = clamp {
            borrow(socket).set_window_clamp(bytes).unwrap();
        }
    });
    let (sysctls, share) = (sysctls(), Share::first(version(), &sysctls()));
    for ((clamp, rcvbuf), (client, server)) in grid.into_iter().zip(&connections) {
        let asked = rcvbuf.map_or(Asked::Automatic, |bytes| Asked::Set(bytes as u64));
        let full = share.window(receive_buffer(asked, &sysctls));
        let clamp_bytes = clamp.map(|bytes| clamp_asked(u64::from(bytes)));
        let mss = ADVERTISED_MSS;
        let open = opening(version(), asked, clamp_bytes, share, mss, 0, &sysctls);
        let what = format!("clamp {clamp:?}, {asked:?}: {open:?}");
        assert_eq!(state(client).rcv_wscale, open.scale, "{what}");
        // The ACK of the SYN/ACK says the window in units of the scale.
        let shown = open.window.next_multiple_of(1 << open.scale);
        if shown <= 65_536 || version() >= OPENS_WIDE {
            assert_eq!(state(server).snd_wnd, shown, "{what}");
        }
        let kept = u64::from(borrow(client).locks().unwrap().window_clamp);
        assert!(kept <= open.clamp, "{what}: {kept}");
        if clamp.is_some() && open.clamp + 2 * mss < full {
            assert_eq!(kept, open.clamp, "{what}");
        }
    }
}

/// Carries bytes from the server to the client, which reads them all.
fn carry(client: &mut Socket, server: &mut Socket, bytes: usize) {
    client.set_nonblocking(false).unwrap();
    thread::scope(|scope| {
        scope.spawn(|| server.write_all(&vec![0; bytes]).unwrap());
        client.read_exact(&mut vec![0; bytes]).unwrap();
    });
}

#[test]
fn a_clamp_set_later_bounds_what_is_offered_from_then_on() {
    if version() < FOLLOWS {
        println!("skipped: the window follows a later clamp from Linux 5.15 on");
        return;
    }
    let Some((pair, _link)) = pair(Nanos::from_millis(1), None) else { return };
    let asked = Asked::Set(131_072);
    for clamp in [4_096, 8_192, 16_384, 20_001, 30_000] {
        // Autotuning would set its own.
        let connection = pair.connect(1, |_, socket| socket.set_recv_buffer_size(131_072).unwrap());
        let (mut client, mut server) = connection.into_iter().next().unwrap();
        let clamp_now = |client: &Socket| u64::from(borrow(client).locks().unwrap().window_clamp);
        borrow(&client).set_window_clamp(clamp).unwrap();
        carry(&mut client, &mut server, ENOUGH);
        if version() >= FOLLOWS_SHARE {
            let measured = Share::first(version(), &sysctls()).measured(MSS, FULL_PACKET);
            let full = measured.window(receive_buffer(asked, &sysctls()));
            assert_eq!(clamp_now(&client), full, "what is set before a full packet is forgotten");
        }
        borrow(&client).set_window_clamp(clamp).unwrap();
        carry(&mut client, &mut server, ENOUGH);
        let clamp = u64::from(clamp);
        assert_eq!(clamp_now(&client), clamp);
        let room = Room {
            free: 1 << 20,
            allowed: 1 << 20,
            clamp,
            threshold: clamp,
            mss: MSS,
            current: 0,
            scale: state(&client).rcv_wscale,
        };
        assert_eq!(state(&server).snd_wnd, advertised(room), "clamp {clamp}");
    }
}
