//! Steps on the congestion control and the path.

use crate::advice::quantity::{rate, span};
use crate::advice::step::{Network, Unseen};
use crate::advice::words::zh::{known, limit, place};

/// One step as an instruction.
pub(super) fn step(step: &Network) -> String {
    match *step {
        Network::ReuseConnection { rtt, first } => format!(
            "复用已经提速的连接（keep-alive、连接池），不要每次传输都新建：新连接从大约 {first} 个包开始试探，每过一个往返时延{}才翻一倍。",
            known(rtt.0 > 0, || format!("（{}）", span(rtt)))
        ),
        Network::RaiseInitcwnd { at } => format!(
            "如果新连接上的短传输很重要，增大首批发送量，每翻一倍就省一个往返时延；在{}上，对承受得起的路由设置：`ip route change ... initcwnd 20`。",
            place(&at)
        ),
        Network::KeepCwndAfterIdle { at } => format!(
            "在{}上运行 `sysctl -w net.ipv4.tcp_slow_start_after_idle=0`，连接停顿之后就能保持原来的速率。",
            place(&at)
        ),
        Network::FindLoss { at } => format!(
            "查明包丢在哪里：在{}和对端运行 `ip -s link` 与 `ethtool -S`，查看途中交换机和 Wi-Fi 的计数器，并在两端同时抓包。",
            place(&at)
        ),
        Network::TryBbr { at } => format!(
            "如果丢包无法消除，可以换用不把每次丢包都当作拥塞的拥塞控制：在{}上运行 `sysctl -w net.ipv4.tcp_congestion_control=bbr`（如果它是模块，先运行 `modprobe tcp_bbr`）。",
            place(&at)
        ),
        Network::InspectPacing { at } => format!(
            "在{}上用 `ss -ti` 查看 pacing_rate：如果它来自 SO_MAX_PACING_RATE 或某条 `tc` 规则，就调大它；如果是拥塞控制（bbr）自己选的，那就是测得的路径速率。",
            place(&at)
        ),
        Network::InspectCwnd { at } => format!(
            "在{}上用 `ss -ti` 查看 cwnd、ssthresh，以及使它们变小的重传。",
            place(&at)
        ),
        Network::LittleToGain { then, next } => format!(
            "这里没有多少可改进的：即使没有这个限制，传输仍需 {}，因为接下来的限制是{}。",
            span(then),
            limit(next)
        ),
        Network::GainUnknown(Unseen::Path { carried }) => format!(
            "无法预测去掉这个限制能省多少时间，因为从抓包中看不出路径有多快：它传送过 {}，也许还能更快。",
            rate(carried)
        ),
        Network::GainUnknown(Unseen::Round { resent }) => format!(
            "无法预测去掉这个限制能省多少时间，因为抓包里看不到往返时延：{}。",
            match resent {
                true => "确认的是原来的数据还是重传的副本，只有 TCP 时间戳能区分，这需要每个包抓 128 字节（`-s 128`）",
                false => "没有一个确认能说明它所确认的数据是何时发出的",
            }
        ),
        Network::NothingToGain { rate: 0, .. } => {
            "调整缓冲区或内核参数不会有任何改进：链路已满。".to_owned()
        }
        Network::NothingToGain { rate: bps, shared_by } => format!(
            "调整缓冲区或内核参数不会有任何改进：链路已满，速率为 {}{}。",
            rate(bps),
            known(shared_by > 0, || format!(
                "，由本连接与另外 {shared_by} 个连接分享：其中一个多得，其余就少得"
            ))
        ),
        Network::NothingWhileFull { rate: bps } => format!(
            "链路满载（{}）时，只有更快的链路、更少的其他流量或更少的字节才有帮助，缓冲区或内核参数没有用。",
            rate(bps)
        ),
        Network::Besides { other, left, at_most } => format!(
            "其余时间的限制是{}：没有它，传输{}需要 {}。",
            limit(other),
            if at_most { "至多" } else { "" },
            span(left)
        ),
        Network::CompareWithLink { rate: bps, shared_by } => format!(
            "请先把本连接与相同主机间另外 {shared_by} 个连接合计的速率 {} 与链路应有的速率比较：如果相当，链路就已满，丢包来自它的队列，没有什么可改进的。",
            rate(bps)
        ),
        Network::SuspectTheWriter { at, queue_unseen } => format!(
            "不过{}：请先确认{}上的应用程序不是本来就以这个速率写入（限速、定时器、媒体流）。",
            if queue_unseen {
                "没有时间戳，这个抓包看不出这条链路前有没有排队"
            } else {
                "这条链路前没有排队"
            },
            place(&at)
        ),
        Network::SendLess { resting } => format!(
            "要缩短{}，只有换更快的链路、减少链路上的其他流量，或者少传一些字节（压缩、缓存、少请求一些）{}。",
            if resting { "数据传输的时间" } else { "这次传输" },
            if resting { "；但大部分时间里没有数据发送，因为应用程序在等待或处理" } else { "" }
        ),
        Network::ShortenQueue { floor, high } => format!(
            "链路前的队列使链路上所有人的往返时延从 {} 拉长到 {}：在瓶颈处使用 fq_codel 或 cake 可以保持队列很短，而这次传输不受任何损失。",
            span(floor),
            span(high)
        ),
        Network::QueueIsManaged { long } => format!(
            "链路前的队列已经有人管理（AQM）：让发送方放慢的是标记（ECN），不是丢包。在那里再加 fq_codel 或 cake 没有收益；请保持两端的 ECN 开启（net.ipv4.tcp_ecn）。{}",
            long.map_or_else(String::new, |(floor, high)| format!(
                "往返时延最短可以是 {}，如果 {} 嫌长，就是它的目标时延设得太高，或者它后面还有别的队列（调制解调器、Wi-Fi 驱动）。",
                span(floor),
                span(high)
            ))
        ),
        Network::MarkLater { rtt } => format!(
            "如果这个队列归您管理（交换机或路由器的），让它积压得多一些再打标记：排队的数据要够发往返时延（{}）的相当一部分，窗口减小之后链路才不会空闲。请保持 ECN 开启：没有 ECN，同一个队列就会丢包。",
            span(rtt)
        ),
        Network::ShapeBelowPolicer { at, rate: 0 } => format!(
            "否则就在{}上把发送速率整形到略低于允许的速率（`tc qdisc ... fq maxrate`、SO_MAX_PACING_RATE）：没有被丢弃的包就不用重传。",
            place(&at)
        ),
        Network::ShapeBelowPolicer { at, rate: bps } => format!(
            "否则就在{}上把发送速率整形到略低于约定的速率，即 {} 或更高（`tc qdisc ... fq maxrate`、SO_MAX_PACING_RATE）：没有被丢弃的包就不用重传。",
            place(&at),
            rate(bps)
        ),
        Network::RaisePolicedRate => {
            "请网络的管理方（运营商、云主机规格、防火墙规则）提高速率，或者用流量整形代替流量监管；两端的任何设置都解除不了这个限制。"
                .to_owned()
        }
        Network::KeepRack { at } => format!(
            "在{}上确认 Linux 的新式丢包恢复像默认那样是打开的：net.ipv4.tcp_recovery=1、net.ipv4.tcp_early_retrans=3、net.ipv4.tcp_sack=1、net.ipv4.tcp_timestamps=1。",
            place(&at)
        ),
        Network::FindReordering => {
            "查明途中是什么使包延迟或乱序：逐包负载均衡、重试时间很长的 Wi-Fi 或移动链路、停滞的队列。"
                .to_owned()
        }
    }
}
