//! Steps on socket buffers and windows.

use crate::advice::bdp::Bdp;
use crate::advice::quantity::{buffer, data, rate, span};
use crate::advice::step::Buffer;
use crate::advice::words::zh::{known, place};

/// One step as an instruction.
pub(super) fn step(step: &Buffer) -> String {
    match *step {
        Buffer::RemoveSndbuf { at } => format!(
            "在{}的应用程序中，去掉设置 SO_SNDBUF 的调用（setsockopt；Java 中是 setSendBufferSize，Go 中是 SetWriteBuffer）：它会关闭内核对发送缓冲区的自动调优。",
            place(&at)
        ),
        Buffer::SetSndbuf { at, bdp } => format!(
            "如果必须保留这个选项，就设为 {} 或更大，以容纳带宽时延积：{}。{}的 net.core.wmem_max 也要有这么大，否则内核会不声不响地把它截到该上限。",
            bdp.sndbuf(),
            product(&bdp),
            place(&at)
        ),
        Buffer::RaiseWmem { at, bdp } => format!(
            "如果没有代码设置 SO_SNDBUF，请确认{}的自动调优有足够的增长空间：{}。",
            place(&at),
            sysctl("net.ipv4.tcp_wmem", "4096 16384", bdp.wmem_max())
        ),
        Buffer::InspectSndbuf { at } => format!(
            "要看实时情况，在{}上运行 `ss -tmi`：Send-Q 一直是满的，skmem 中 `tb` 后面的数字就是发送缓冲区的大小。",
            place(&at)
        ),
        Buffer::RemoveRcvbuf { at } => format!(
            "在{}的应用程序中，去掉设置 SO_RCVBUF 的调用（setsockopt；Java 中是 setReceiveBufferSize，Go 中是 SetReadBuffer）：它会关闭内核对接收缓冲区的自动调优（自动调优还需要 net.ipv4.tcp_moderate_rcvbuf=1，这是默认值）。",
            place(&at)
        ),
        Buffer::SetRcvbuf { at, bdp } => format!(
            "如果必须保留这个选项，就设为 {} 或更大，即至少为带宽时延积的两倍，因为缓冲区只有一部分会成为窗口：{}。要在 listen() 或 connect() 之前设置，因为窗口的缩放因子在 SYN 中就定下来了；{}的 net.core.rmem_max 也要有这么大。",
            bdp.rcvbuf(),
            product(&bdp),
            place(&at)
        ),
        Buffer::RaiseRmem { at, bdp } => format!(
            "如果没有代码设置 SO_RCVBUF，请确认{}的自动调优有足够的增长空间：{}。",
            place(&at),
            sysctl("net.ipv4.tcp_rmem", "4096 131072", bdp.rmem_max())
        ),
        Buffer::ScaleFixed { at, shift } => format!(
            "修改之后要新建连接：{}在 SYN 中选定的缩放因子（2^{shift}）使这个连接的窗口永远不能超过 {}。",
            place(&at),
            buffer(u64::from(u16::MAX) << shift.min(14))
        ),
        Buffer::EnableScaling { at } => format!(
            "确认两端都启用了窗口缩放，先看{}：`sysctl net.ipv4.tcp_window_scaling` 必须是 1。它从下一个连接起生效。",
            place(&at)
        ),
        Buffer::SuspectNoScaling { at, window } => format!(
            "{} 的窗口差不多是不用窗口缩放时的上限，而能说明这一点的 SYN 不在抓包里：确认两端都启用了窗口缩放，先看{}：`sysctl net.ipv4.tcp_window_scaling` 必须是 1。它从下一个连接起生效。",
            buffer(window),
            place(&at)
        ),
        Buffer::FindStrippingMiddlebox => {
            "如果两端都已启用，就在两端抓取 SYN：途中可能有防火墙或代理去掉了窗口缩放选项。"
                .to_owned()
        }
        Buffer::AutotuningIsWorking { at } => {
            format!("没有问题：{}的内核正按设计增大窗口。", place(&at))
        }
        Buffer::RaiseInitialWindow { at, bdp } => format!(
            "如果有大量短传输，可以调大{}的 net.ipv4.tcp_rmem 的中间值，每个窗口都从它开始增长{}。",
            place(&at),
            bdp.map_or(String::new(), |bdp| format!("（带宽时延积：{}）", product(&bdp)))
        ),
    }
}

/// "98.3 Mbit/s x 20.1 ms = 247 kB", or an example where the rate is not known.
fn product(bdp: &Bdp) -> String {
    let guess = known(!bdp.measured, || "（请代入你的链路速率，从这份抓包中看不出来）".to_owned());
    format!("{} x {} = {}{guess}", rate(bdp.rate), span(bdp.rtt), data(bdp.bytes))
}

/// How to see to a maximum of `bytes`.
fn sysctl(key: &str, first_two: &str, bytes: u64) -> String {
    format!(
        "{key} 的第三个值至少应为 {bytes}（{}）；如果更小，就运行 `sysctl -w {key}=\"{first_two} {bytes}\"`",
        buffer(bytes)
    )
}
