//! Verdicts that lie in the network: congestion window, path and losses.

use super::{end, known, part};
use crate::advice::figures::Figures;
use crate::advice::quantity::{buffer, count, data, rate, span};
use crate::model::Cause;

pub(super) fn congestion_window(f: &Figures) -> String {
    let sender = end(f.sender.side);
    let rounds =
        known(f.rtt_floor.0 > 0, || format!("，每个往返时延（{}）只前进一步", span(f.rtt_floor)));
    let flight =
        known(f.most_in_flight > 0, || format!("（在途最多 {}）", buffer(f.most_in_flight)));
    match f.verdict.cause {
        Cause::SlowStart => format!(
            "连接还在提速（慢启动）：{}，{sender}正在逐步试探路径的速率{rounds}{flight}。",
            part(f)
        ),
        Cause::IdleRestart => format!(
            "每次停顿之后，连接都要重新提速（空闲后重启慢启动）：{}，{sender}在逐步恢复速率{rounds}{flight}。",
            part(f)
        ),
        Cause::CongestionAvoidance if f.resent => format!(
            "瓶颈是丢包：{}，{}，它的拥塞窗口只能慢慢恢复{rounds}{flight}。",
            match f.chance_losses {
                0 => format!("丢包后{sender}会降速"),
                n => format!("{sender}把 {} 次随机丢包当作拥塞而降速", count(n)),
            },
            part(f)
        ),
        Cause::CongestionAvoidance if f.marked => format!(
            "瓶颈是拥塞标记（ECN），虽然这里没有丢包：途中的队列要求{sender}降速，{}，它的拥塞窗口只能慢慢恢复{rounds}{flight}。",
            part(f)
        ),
        Cause::CongestionAvoidance => format!(
            "{sender}自行克制，虽然这里没有丢包：{}，它的拥塞窗口只在缓慢增长{rounds}{flight}。往返时延上升（HyStart）或\
             拥塞标记会造成这种情况；在 5.6 以前的 Linux 上，以前到该地址的传输留下的 ssthresh 也会。",
            part(f)
        ),
        Cause::Pacing => format!(
            "{sender}用定时器拉开包的间隔（pacing）：{}，速率由这个定时器决定{}。",
            part(f),
            known(f.peak_bps > 0, || format!("，最高 {}", rate(f.peak_bps)))
        ),
        _ => format!(
            "瓶颈是{sender}的拥塞窗口：{}，它自己对路径承载能力的估计不允许发送更多{flight}。",
            part(f)
        ),
    }
}

pub(super) fn path_bandwidth(f: &Figures) -> String {
    let mean = known(f.mean_bps > 0, || {
        format!("，速率 {}{}{}", rate(f.mean_bps), with_others(f), by_time(f))
    });
    let queue = known(f.shows_queue(), || {
        format!("；往返时延从 {} 升到 {}", span(f.rtt_floor), span(f.rtt_high))
    });
    match f.verdict.cause {
        Cause::StandingQueue => format!(
            "路径已满：{}，最窄的链路一直在忙{mean}，前面还排着一队待发的数据{queue}。",
            part(f)
        ),
        Cause::EcnMarked => format!(
            "路径已满：{}，最窄的链路一直在忙{mean}，并用标记（ECN）通告了这一点{queue}。",
            part(f)
        ),
        Cause::Policer => format!(
            "网络只允许固定的速率：{}，流量监管（policer）丢弃了超出的部分{}，完全不排队。",
            part(f),
            known(f.policed_bps > 0, || format!(
                "（{} 或更高，实际通过 {}）",
                rate(f.policed_bps),
                rate(f.mean_bps)
            ))
        ),
        _ => format!("路径已满：{}，数据以最窄的链路所允许的速度到达{mean}。", part(f)),
    }
}

/// 链路先后的速率（如果变了的话）；其他连接所占的份额也可能变了。
fn by_time(f: &Figures) -> String {
    let Some(change) = f.rate_change.filter(|_| f.shared.is_none()) else { return String::new() };
    format!("（前 {} 为 {}，之后为 {}）", span(change.at), rate(change.before), rate(change.after))
}

/// 与其他连接合计的速率（如果有的话）。
fn with_others(f: &Figures) -> String {
    let Some((others, all)) = f.shared else { return String::new() };
    format!("（与相同主机间的另外 {others} 个连接合计 {}）", rate(all))
}

pub(super) fn loss_recovery(f: &Figures) -> String {
    let resent = known(f.retransmitted > 0, || format!("；共重传 {}", data(f.retransmitted)));
    let longest = known(f.longest_stall.0 > 0, || format!("，最长一次 {}", span(f.longest_stall)));
    let part = part(f);
    match f.verdict.cause {
        Cause::Timeout => {
            format!("瓶颈是丢包：{part}在等待重传定时器发现丢失{longest}{resent}。")
        }
        Cause::TailLoss => format!(
            "瓶颈是丢包：{part}在等待一批数据末尾丢失的部分，其后再没有数据能暴露这次丢失{longest}{resent}。"
        ),
        Cause::DoubleLoss => {
            format!("瓶颈是丢包：{part}在等待重传后又一次丢失的数据{longest}{resent}。")
        }
        Cause::SmallFlight => format!(
            "瓶颈是丢包：{part}在等待丢失的数据，而在途的包太少，不能很快发现丢失{longest}{resent}。"
        ),
        Cause::Spurious => format!(
            "数据白白重传了：{part}用来修复其实没有发生的丢失，起因是确认迟到、丢失或乱序{longest}{resent}。"
        ),
        _ => format!("瓶颈是丢包：{part}用来发现并重传丢失的数据{longest}{resent}。"),
    }
}
