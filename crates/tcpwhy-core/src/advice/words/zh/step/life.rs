//! Steps on how connections open and die, and on the evidence itself.

use crate::advice::quantity::{count, span};
use crate::advice::step::Life;
use crate::advice::words::zh::{bytes, frames, known, place};

/// One step as an instruction.
pub(super) fn step(step: &Life) -> String {
    match *step {
        Life::CheckListenQueue { at } => format!(
            "在{}上查看监听队列是否溢出：`nstat -az TcpExtListenOverflows TcpExtListenDrops`；如果计数在增长，就加快 accept，或调大 listen() 的 backlog 和 net.core.somaxconn。",
            place(&at)
        ),
        Life::CheckListener { at } => format!(
            "在{}上用 `ss -ltn` 查看该端口上有没有程序在监听，监听的是哪个地址。如果有，那就是防火墙代它拒绝：用 `nft list ruleset` 查看以 TCP reset 拒绝的规则。",
            place(&at)
        ),
        Life::CheckSynPath => {
            "如果没有溢出，就是防火墙或有丢包的链路丢掉了 SYN：在两端同时抓包，看丢在路径的哪一侧。"
                .to_owned()
        }
        Life::CheckAnswer { at } => format!(
            "在{}上抓包：如果 SYN/ACK 到了那里，就是该主机的防火墙丢掉了它，或者程序已经放弃；如果没到，就是返回路径把它弄丢了\
             （路由不对称，或防火墙没有见过那个 SYN）。",
            place(&at)
        ),
        Life::ReuseAgainstHandshake { rtt } => format!(
            "复用连接（keep-alive、连接池）：每个新连接在发出第一个字节之前都要花一个往返时延{}。",
            known(rtt.0 > 0, || format!("（{}）", span(rtt)))
        ),
        Life::ReuseAgainstTurns { rtt, turns } => format!(
            "保持连接，供后续请求继续使用（keep-alive、连接池）：建立一个连接要花一个往返时延{}；如果使用 TLS，这 {} 轮中还有{}是它的握手。",
            known(rtt.0 > 0, || format!("（{}）", span(rtt))),
            count(turns),
            if turns > 2 { "一到两轮" } else { "一轮" }
        ),
        Life::CheckPath { frames: (first, last) } => format!(
            "查明对端或路径在那段时间{}发生了什么：主机崩溃、路由变化，或是防火墙、NAT 丢弃了连接。",
            frames(first, last)
        ),
        Life::CompareSizes { to, mss, ping } => format!(
            "连接已经建立，却没有一个满长的报文段{}到达：看看是否只有大的数据包丢失（`ping -M do -s {ping} {}` 与 `-s 1200`）。如果是，路径的 MTU 更小，而没有人通知；在发送方执行 `sysctl -w net.ipv4.tcp_mtu_probing=1`，或限制 MSS，数据就能通过。",
            known(mss > 0, || format!("（{}）", bytes(u64::from(mss)))),
            to.end.addr()
        ),
        Life::DetectDeadPeer { at } => format!(
            "在{}的套接字上设置 TCP_USER_TIMEOUT，对空闲的连接再加上 SO_KEEPALIVE，应用程序就能在几秒内得知断连，而不是等上一刻钟。",
            place(&at)
        ),
        Life::AllowIcmp => {
            "让途中所有防火墙放行 ICMP \"fragmentation needed\" 和 ICMPv6 \"packet too big\"：没有它们，发送方无法得知路径 MTU。"
                .to_owned()
        }
        Life::ProbeMtu { at } => format!(
            "在{}上运行 `sysctl -w net.ipv4.tcp_mtu_probing=1`，让 TCP 自己找出能通过的大小。",
            place(&at)
        ),
        Life::ClampMss { mss: 0 } => {
            "或者在窄链路之前的路由器上钳制 MSS（`... TCPMSS --clamp-mss-to-pmtu`），或者调小接口的 MTU。"
                .to_owned()
        }
        Life::ClampMss { mss } => format!(
            "或者在窄链路之前的路由器上钳制 MSS（现在是 {}；`... TCPMSS --clamp-mss-to-pmtu`），或者调小接口的 MTU。",
            bytes(u64::from(mss))
        ),
        Life::KeepStateAlive => {
            "让空闲连接的保活间隔短于途中最短的空闲超时（防火墙、NAT、负载均衡、服务器）：使用 SO_KEEPALIVE，并把 TCP_KEEPIDLE 设得比它小，或者由应用程序发送心跳。"
                .to_owned()
        }
        Life::CaptureBetter { at, one_way } => format!(
            "重新抓包：{}尽量靠近{}，在连接建立之前开始，并抓下完整的包头：`tcpdump -s 128 -w why.pcap`。",
            match one_way {
                true => "选一个两个方向都经过的位置（镜像端口可能只复制一个方向，往返也可能走不同的路），",
                false => "",
            },
            place(&at)
        ),
        Life::CaptureAll => "重新抓包，不要丢失数据包：只抓包头，加大缓冲区，并写到本地磁盘（`tcpdump -s 128 -B 65536 -w why.pcap`）。tcpdump 结束时会报告内核丢弃了多少个包：一个都不应有。".to_owned(),
        Life::AskKernel { at } => format!(
            "再抓包也不会看到更多。{}的内核在等什么，要在传输进行时看它自己的计数：在那里运行 `tcpwhy live`，或 `ss -tino`（rwnd_limited、sndbuf_limited、app_limited、notsent）。",
            place(&at)
        ),
    }
}
