//! Steps on socket buffers and windows.

use crate::advice::bdp::Bdp;
use crate::advice::figures::Place;
use crate::advice::quantity::{buffer, data, rate, span};
use crate::advice::step::Buffer;
use crate::advice::words::en::place;

/// One step as an instruction.
pub(super) fn step(step: &Buffer) -> String {
    match *step {
        Buffer::RemoveSndbuf { at } => format!(
            "In the application on {}, remove the call that sets SO_SNDBUF (setsockopt; \
             setSendBufferSize in Java, SetWriteBuffer in Go): it switches the kernel's send buffer \
             autotuning off.",
            place(&at)
        ),
        Buffer::SetSndbuf { at, bdp } => format!(
            "If that option has to stay, set it to {} or more, so that the bandwidth-delay product \
             fits: {}. net.core.wmem_max on {} must be as large, for the kernel silently cuts the \
             option down to it.",
            bdp.sndbuf(),
            product(&bdp),
            place(&at)
        ),
        Buffer::RaiseWmem { at, bdp } => format!(
            "If nothing sets SO_SNDBUF, see that autotuning may grow far enough on {}: {}.",
            place(&at),
            sysctl("net.ipv4.tcp_wmem", "4096 16384", bdp.wmem_max())
        ),
        Buffer::InspectSndbuf { at } => format!(
            "To see it live, run `ss -tmi` on {}: a Send-Q that stays full, and after `tb` in skmem \
             the size of the send buffer.",
            place(&at)
        ),
        Buffer::RemoveRcvbuf { at } => format!(
            "In the application on {}, remove the call that sets SO_RCVBUF (setsockopt; \
             setReceiveBufferSize in Java, SetReadBuffer in Go): it switches the kernel's receive \
             buffer autotuning off (which also needs net.ipv4.tcp_moderate_rcvbuf=1, the default).",
            place(&at)
        ),
        Buffer::SetRcvbuf { at, bdp } => format!(
            "If that option has to stay, set it to {} or more, at least twice the bandwidth-delay \
             product, for only a part of the buffer becomes window: {}. Set it before listen() or \
             connect(), for the window's scale is fixed in the SYN; net.core.rmem_max on {} must \
             be as large.",
            bdp.rcvbuf(),
            product(&bdp),
            place(&at)
        ),
        Buffer::RaiseRmem { at, bdp } => format!(
            "If nothing sets SO_RCVBUF, see that autotuning may grow far enough on {}: {}.",
            place(&at),
            sysctl("net.ipv4.tcp_rmem", "4096 131072", bdp.rmem_max())
        ),
        Buffer::ScaleFixed { at, shift } => format!(
            "Open a new connection after the change: the scale that {} chose in its SYN (2^{shift}) \
             caps this connection's window at {} for good.",
            place(&at),
            buffer(u64::from(u16::MAX) << shift.min(14))
        ),
        Buffer::EnableScaling { at } => format!(
            "See that window scaling is on at both ends, first at {}: `sysctl \
             net.ipv4.tcp_window_scaling` must be 1. It takes effect with the next connection.",
            place(&at)
        ),
        Buffer::SuspectNoScaling { at, window } => format!(
            "A window of {} is about the most that fits without window scaling, and the SYNs that \
             would tell are not in the capture: see that it is on at both ends, first at {}: `sysctl \
             net.ipv4.tcp_window_scaling` must be 1. It takes effect with the next connection.",
            buffer(window),
            place(&at)
        ),
        Buffer::FindStrippingMiddlebox => "If it is on at both ends, capture the SYN at both: a \
             firewall or proxy on the way may be stripping the window scale option."
            .to_owned(),
        Buffer::AutotuningIsWorking { at } => {
            format!("No harm done: the kernel of {} is growing the window as intended.", place(&at))
        }
        Buffer::RaiseInitialWindow { at, bdp } => initial_window(&at, bdp),
    }
}

fn initial_window(at: &Place, bdp: Option<Bdp>) -> String {
    let need =
        bdp.map_or(String::new(), |bdp| format!(" (bandwidth-delay product: {})", product(&bdp)));
    format!(
        "If many short transfers matter, raise the middle value of net.ipv4.tcp_rmem on {}, from \
         which every window starts growing{need}.",
        place(at)
    )
}

/// "98.3 Mbit/s x 20.1 ms = 247 kB", or an example where the rate is not known.
fn product(bdp: &Bdp) -> String {
    let product = format!("{} x {} = {}", rate(bdp.rate), span(bdp.rtt), data(bdp.bytes));
    if bdp.measured {
        product
    } else {
        format!("{product} (put in your link's rate; this capture cannot show it)")
    }
}

/// How to see to a maximum of `bytes`.
fn sysctl(key: &str, first_two: &str, bytes: u64) -> String {
    format!(
        "the third value of {key} should be at least {bytes} ({}); if it is lower, `sysctl -w \
         {key}=\"{first_two} {bytes}\"`",
        buffer(bytes)
    )
}
