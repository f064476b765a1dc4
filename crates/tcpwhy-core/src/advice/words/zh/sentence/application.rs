//! Verdicts that lie in the applications: who had nothing to send, and why.

use super::{part, part_of};
use crate::advice::figures::Figures;
use crate::advice::quantity::{count, round_trips, span};
use crate::advice::words::zh::{end, known};
use crate::model::Cause;
use crate::units::Nanos;

pub(super) fn application(f: &Figures) -> String {
    let (sender, receiver) = (end(f.sender.side), end(f.receiver.side));
    match f.verdict.cause {
        Cause::WaitingForPeer if f.is_chatty() && f.carried > Nanos::ZERO => format!(
            "两端一来一往：{}是{sender}在等{receiver}的下一条消息；其中 {} 个来回，每个至少要一个往返时延（{}），共 {}，路径传送其间的内容又用了 {}。",
            part(f),
            count(f.transfers),
            span(f.rtt_floor),
            span(round_trips(f.transfers, f.rtt_floor)),
            span(f.carried)
        ),
        Cause::WaitingForPeer if f.is_chatty() => format!(
            "两端一来一往，每次只说一点：{}是{sender}在等{receiver}的下一条消息，其中大部分是 {} 个来回造成的，每个来回至少要一个往返时延（{}）。",
            part(f),
            count(f.transfers),
            span(f.rtt_floor)
        ),
        Cause::WaitingForPeer if f.is_partly_chatty() => format!(
            "{sender}在等{receiver}：{}没有可发的数据，要等{receiver}的下一条消息到达；其中 {} 个来回，每个至少要一个往返时延（{}），共 {}。",
            part(f),
            count(f.transfers),
            span(f.rtt_floor),
            span(round_trips(f.transfers, f.rtt_floor))
        ),
        Cause::WaitingForPeer => format!(
            "{sender}等的是{receiver}{}：{}没有可发的数据，要等{receiver}的下一条消息到达。",
            known(!f.waits_for_path(), || "，不是网络".to_owned()),
            part(f)
        ),
        Cause::KeepAlive => {
            format!("连接空闲：{}除了保活（keep-alive）之外什么也没有传。", part(f))
        }
        _ if f.owed.is_some() => format!(
            "{sender}没有回答{receiver}{}：{receiver}所说的它都已确认，此后 {}什么也没有发送。",
            known(f.bytes > 0, || "的最后一条消息".to_owned()),
            part_of(f, f.owed_share())
        ),
        _ if f.is_one_flight() => format!("没有什么限制了它：{}", last_flight(f)),
        _ if f.is_last_flight() => last_flight(f),
        _ if f.is_before() => format!(
            "瓶颈是{sender}上的应用程序，不是网络：{} 中有 {} 过去之后它才开始发送。",
            span(f.span),
            span(f.thought)
        ),
        _ if f.is_mostly_corked() => format!(
            "瓶颈是{sender}上的应用程序，不是网络：{}扣着自己消息的最后一段（TCP_CORK）。",
            part(f)
        ),
        _ => format!(
            "瓶颈是{sender}上的应用程序{}：{}没有准备好可发的数据。",
            known(!f.waits_for_path(), || "，不是网络".to_owned()),
            part(f)
        ),
    }
}

/// Who sent it, and when it heard that all had arrived.
fn last_flight(f: &Figures) -> String {
    let all = known(!f.is_whole, || "捕获到的".to_owned());
    let (sent, last) = if f.is_sent_at_once() {
        ("一次".to_owned(), "数据")
    } else {
        (format!("在 {} 之内", span(f.sending())), "最后一部分")
    };
    let delayed =
        known(f.is_delayed(), || format!("，而{}可能推迟最后一个确认", end(f.receiver.side)));
    let way = match f.rtt_floor {
        Nanos::ZERO => String::new(),
        _ if f.is_prompt() => "，这正是一个往返时延".to_owned(),
        round => format!("；一个往返时延为 {}{delayed}", span(round)),
    };
    let (sender, later) = (end(f.sender.side), span(f.on_its_way()));
    format!("{sender}{sent}发完了{all}全部数据，{later} 之后得知{last}到达{way}。")
}
