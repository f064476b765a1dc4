//! The verdict in plain sentences.

mod application;
mod network;

use super::{FAIRLY_SURE, GUESS, end, known, limit, percent};
use crate::advice::bdp::Bdp;
use crate::advice::figures::Figures;
use crate::advice::opening::Opening;
use crate::advice::quantity::{buffer, data, rate, span};
use crate::model::{Cause, Limit, WindowScale};
use crate::units::{Nanos, bits_per_second};

/// The verdict, and how far it can be trusted.
pub(crate) fn sentence(f: &Figures) -> String {
    if f.span <= Nanos::ZERO || f.is_idle() {
        return nothing_to_judge(f);
    }
    let mut text = verdict(f);
    if f.verdict.share > f.share + 0.03 && !f.is_last_flight() {
        text.push_str(&format!(
            "把各种原因合在一起，{}占了 {} 的时间。",
            limit(f.verdict.limit),
            percent(f.verdict.share)
        ));
    }
    match f.outdone_by {
        _ if f.verdict.share >= 0.5 || f.verdict.limit == Limit::Unknown => {}
        Some((Limit::Handshake, part)) if f.is_last_flight() => {
            text.push_str(&format!("建立连接占了全部时间的 {}。", percent(part)));
        }
        _ if f.is_last_flight() => {}
        Some((Limit::Application, part)) if f.is_tail(part) => text.push_str(&format!(
            "在数据发完之前它占的时间最长；此后又过了 {} 最后一部分才得到确认。",
            span(f.tail)
        )),
        Some((Limit::Handshake, part)) => text.push_str(&format!(
            "数据传输期间它占的时间最长；建立连接占了全部时间的 {}。",
            percent(part)
        )),
        Some((Limit::Unknown, part)) => text.push_str(&format!(
            "这是抓包能看出的最长的限制；全部时间的 {} 里，抓包看不出受什么限制。",
            percent(part)
        )),
        Some((other, part)) => text.push_str(&format!(
            "数据传输期间它占的时间最长；{}占了全部时间的 {}，大多在{}。",
            limit(other),
            percent(part),
            if f.transfers > 1 { "各次传输之间" } else { "数据开始传输之前" }
        )),
        None => text.push_str("几种限制因素轮流起作用，这是其中最大的一个。"),
    }
    if let (true, WindowScale::Inferred { min, max }) = (f.scale_matters, f.scale) {
        text.push_str(&format!(
            "抓包里没有握手的选项，窗口缩放因子是推断的（2^{min} 到 2^{max}），结论取决于它。"
        ));
    }
    text.push_str(&confidence(f));
    text
}

fn nothing_to_judge(f: &Figures) -> String {
    let sender = end(f.sender.side);
    if f.bytes == 0 {
        format!("{sender}没有发送数据。")
    } else {
        format!("{sender}发送了 {}，用时短得无法测量。", data(f.bytes))
    }
}

fn confidence(f: &Figures) -> String {
    let confidence = percent(f.verdict.confidence);
    match f.verdict.confidence {
        _ if f.verdict.limit == Limit::Unknown => String::new(),
        c if c < GUESS => format!("证据不足（把握 {confidence}）。"),
        c if c < FAIRLY_SURE => format!("这只是很可能，并不确定（把握 {confidence}）。"),
        _ => String::new(),
    }
}

fn verdict(f: &Figures) -> String {
    match f.verdict.limit {
        Limit::Handshake => handshake(f),
        Limit::Application => application::application(f),
        Limit::SendBuffer => send_buffer(f),
        Limit::ReceiveWindow => receive_window(f),
        Limit::CongestionWindow => network::congestion_window(f),
        Limit::PathBandwidth => network::path_bandwidth(f),
        Limit::LossRecovery => network::loss_recovery(f),
        Limit::DelayedAck => delayed_ack(f),
        Limit::SilentPath => silent_path(f),
        Limit::Unknown if f.verdict.cause == Cause::CaptureHole => {
            format!("{}，抓包缺少能说明是什么限制了{}的数据包。", part(f), end(f.sender.side))
        }
        Limit::Unknown => {
            format!("{}，是什么限制了{}，从抓包中看不出来。", part(f), end(f.sender.side))
        }
    }
}

/// "25.1 s 中有 97% 的时间": begins a clause that says what happened in it.
fn part(f: &Figures) -> String {
    part_of(f, f.share)
}

fn part_of(f: &Figures, share: f64) -> String {
    format!("{} 中有 {} 的时间", span(f.span), percent(share))
}

fn handshake(f: &Figures) -> String {
    match f.verdict.cause {
        _ if f.opening == Opening::Refused => {
            format!("服务器拒绝了连接：发出 SYN 之后 {}，收到了它的 RST。", span(f.span))
        }
        _ if f.not_accepted => format!(
            "服务器没有接受这个连接：{}，客户端的第一批数据一次又一次到达那里，却没有得到确认。",
            part(f)
        ),
        Cause::SynRetry if f.opening == Opening::AnswerUnheard => format!(
            "连接一直没有建立：{}，服务器一再应答客户端的 SYN（SYN/ACK），客户端却没有确认。",
            part(f)
        ),
        Cause::SynRetry if f.opening == Opening::InVain => format!(
            "连接一直没有建立：{}，第一个包（SYN）或其应答丢失或被忽略，重发多次也没有用。",
            part(f)
        ),
        Cause::SynRetry => format!(
            "连接建立得很慢：第一个包（SYN）或其应答丢失或被忽略，不得不重发，{}耗在这上面。",
            part(f)
        ),
        _ => format!(
            "时间主要花在建立连接上：{}耗在可以发送数据之前{}。",
            part(f),
            known(f.rtt_floor.0 > 0, || format!("；一个往返时延是 {}", span(f.rtt_floor)))
        ),
    }
}

fn send_buffer(f: &Figures) -> String {
    let reached = Bdp::of(f).is_some_and(|bdp| bdp.is_reached);
    let most = if reached { "最多" } else { "只有" };
    let flight = known(f.flight > 0, || format!("，而在途数据{most} {}", buffer(f.flight)));
    let room = if f.window > f.flight {
        let up_to = if f.is_window_near() { "最大 " } else { "" };
        let window = buffer(f.window_beside());
        format!("网络路径和{}的窗口（{up_to}{window}）都还有余量", end(f.receiver.side))
    } else {
        "网络路径还有余量".to_owned()
    };
    let whose = match f.verdict.cause {
        Cause::LockedByApplication => "（应用程序用 SO_SNDBUF 固定了大小）",
        Cause::SystemMaximum => "（已达 net.ipv4.tcp_wmem 的上限）",
        _ => "",
    };
    format!(
        "瓶颈是{}的发送缓冲区{whose}：{}在等待确认{flight}；{room}。",
        end(f.sender.side),
        part(f)
    )
}

fn receive_window(f: &Figures) -> String {
    let (sender, receiver) = (end(f.sender.side), end(f.receiver.side));
    let filled = f.filled_window;
    let window = known(filled > 0, || format!("（{}）", buffer(filled)));
    let cap = known(f.rtt_floor.0 > 0 && filled > 0, || {
        let (round, most) = (span(f.rtt_floor), bits_per_second(filled, f.rtt_floor));
        format!("；每个往返时延（{round}）最多只能传一个窗口，即 {}", rate(most))
    });
    let longest = known(f.longest_stall.0 > 0, || format!("，最长一次 {}", span(f.longest_stall)));
    match f.verdict.cause {
        Cause::SmallBuffer => format!(
            "瓶颈是{receiver}的接收缓冲区：{}，{sender}已填满它通告的窗口{window}{cap}。",
            part(f)
        ),
        Cause::NoWindowScaling => format!(
            "瓶颈是{receiver}的窗口：没有窗口缩放，窗口不能超过 64 KiB，{}，{sender}已填满这个窗口{window}{cap}。",
            part(f)
        ),
        Cause::SlowReader => format!(
            "{receiver}上的应用程序读取得不够快：{}，它的接收缓冲区已满或将满，窗口剩下的空间不够发送{longest}。",
            part(f)
        ),
        Cause::ZeroWindow => format!(
            "{receiver}上的应用程序停止了读取：{}，它的窗口是关闭的（零窗口）{longest}，{sender}只能等待。",
            part(f)
        ),
        Cause::AutotuningLag => format!(
            "{receiver}的窗口还在增长：{}，数据紧跟在窗口{window}后面；传输再长一些就不受此限。",
            part(f)
        ),
        _ => format!(
            "瓶颈是{receiver}的接收窗口：{}，{sender}已填满这个窗口{window}{cap}。",
            part(f)
        ),
    }
}

fn delayed_ack(f: &Figures) -> String {
    format!(
        "瓶颈是小块写入：{}，一小块数据要等前一小块得到确认才能发出（Nagle 算法）{}。",
        part(f),
        known(f.is_kept_back(), || {
            let (receiver, longest) = (end(f.receiver.side), span(f.longest_stall));
            format!("，而{receiver}会有意推迟确认，此处最长 {longest}")
        })
    )
}

fn silent_path(f: &Figures) -> String {
    let (sender, receiver) = (end(f.sender.side), end(f.receiver.side));
    match f.verdict.cause {
        Cause::ProbesUnanswered => {
            format!("{receiver}关闭窗口之后就没有了回音：{}，{sender}的探测得不到应答。", part(f))
        }
        Cause::PmtuBlackHole => format!(
            "大包在途中消失，小包却能到达：{}，{sender}在反复重传满长的包，而它们都掉进了黑洞（PMTU 黑洞）。",
            part(f)
        ),
        Cause::ConnectionForgotten => format!(
            "对端已经忘记了这个连接：{}，{sender}得不到应答，它迟来的包被拒绝（RST）。",
            part(f)
        ),
        Cause::None => format!(
            "{sender}或来自它的路径没有了声息：{}，{receiver}仍在等待的数据一直没有到来。",
            part(f)
        ),
        _ if f.had_arrived => format!(
            "返回{sender}的路径没有了声息：{}，它在重传早已到达的数据，却听不到{receiver}的任何应答。",
            part(f)
        ),
        _ if f.retransmitted == 0 => format!(
            "{receiver}或通往它的路径没有了响应：{}，{sender}发出的一切都得不到应答。",
            part(f)
        ),
        _ => format!(
            "{receiver}或通往它的路径没有了响应：{}，{sender}在重传数据，却得不到应答。",
            part(f)
        ),
    }
}
