//! Simplified Chinese (简体中文).

use super::{Gain, Measured, Section, Spot, Words, finest, measured, times};
use crate::Source;
use crate::terminal::shown::Quiet;
use tcpwhy_core::advice::quantity::{self, SHORTEST_ROUND_TRIP, buffer, count, data, rate, span};
use tcpwhy_core::advice::{Language, cause_label, limit_label};
use tcpwhy_core::model::{Cause, Direction, Interval, Limit, RttSummary, Side, Source as Basis};
use tcpwhy_core::units::Nanos;

/// The Chinese texts.
pub(super) struct Zh;

impl Words for Zh {
    fn language(&self) -> Language {
        Language::Zh
    }

    fn section(&self, section: Section) -> &'static str {
        match section {
            Section::Shares => "时间花在哪里",
            Section::Evidence => "证据",
            Section::WhatIf => "如果去掉限制",
            Section::Advice => "怎么做",
            Section::Findings => "其他发现",
            Section::Intervals => "时间线各段",
            Section::Overview => "全部传输，按主要限制汇总",
        }
    }

    fn no_data(&self, quiet: Option<Quiet>) -> String {
        let Some(Quiet { time, id }) = quiet else {
            return "没有数据传输；--all 显示所有连接。".to_owned();
        };
        format!(
            "没有数据传输，而连接 {id} 打开了 {}。如果服务器应当先说话（MySQL、SMTP、SSH、FTP），那么它没有说，客户端一直在等它；--all 显示所有连接。",
            span(time)
        )
    }

    fn header(&self, source: &Source, connections: usize) -> String {
        let name = match source.files.as_slice() {
            [] => "抓包".to_owned(),
            [one] => one.clone(),
            [first, rest @ ..] => format!("{first} 等 {} 个文件", rest.len() + 1),
        };
        let tcp = if source.tcp_packets == source.packets {
            String::new()
        } else {
            format!("（其中 TCP {} 个）", count(source.tcp_packets))
        };
        let connections = count(connections as u64);
        format!("{name}：{} 个包{tcp}，{connections} 个连接", count(source.packets))
    }

    fn warning(&self, text: &str) -> String {
        format!("注意：{text}")
    }

    fn hidden(&self, directions: usize, bytes: u64) -> String {
        format!(
            "另有 {} 个方向（共 {}）未显示；--all 显示全部，--conn ID 只显示一个连接。",
            count(directions as u64),
            data(bytes)
        )
    }

    fn overview(&self) -> [&'static str; 5] {
        ["", "方向数", "数据量", "可节省", "示例 --conn"]
    }

    fn kind(&self, [name, directions, data, saving, example]: &[String; 5]) -> String {
        let row = format!("{name}，{directions} 个方向，{data}，可节省 {saving}");
        if example.is_empty() { row } else { format!("{row}；示例见 --conn {example}") }
    }

    fn title(&self, id: u64, from: &str, to: &str) -> String {
        format!("连接 {id}：{from} → {to}")
    }

    fn amount(&self, d: &Direction, later: Option<Nanos>, stuck: Option<Nanos>) -> String {
        let resent = match d.retransmitted {
            0 => String::new(),
            n => format!("，重传 {}", data(n)),
        };
        let time = match d.transfer {
            Nanos::ZERO => String::new(),
            time => format!("，用时 {}，{}", span(time), rate(d.goodput_bps())),
        };
        let stuck = stuck.map(|time| format!("，此后 {} 毫无进展", span(time))).unwrap_or_default();
        let later = later.map(|time| format!("；始于抓包的 {}", span(time))).unwrap_or_default();
        let direction = match d.from {
            Side::Client => "客户端到服务器",
            Side::Server => "服务器到客户端",
        };
        format!("{direction}：{}{time}{resent}{stuck}{later}", data(d.bytes))
    }

    fn path(&self, rtt: &RttSummary, captured: Option<(Spot, bool)>) -> String {
        let spot = |spot| match spot {
            Spot::Client => "客户端",
            Spot::Server => "服务器端",
            Spot::OnTheWay => "途中",
        };
        let captured = match captured {
            None => String::new(),
            Some((place, false)) => format!("；抓包位置可能在{}", spot(place)),
            Some((place, true)) => format!("；抓包位置在{}", spot(place)),
        };
        if rtt.min < SHORTEST_ROUND_TRIP {
            return format!("往返时延太短，抓包的时钟量不出来{captured}");
        }
        let (min, median, p95) = (span(rtt.min), span(rtt.median), span(rtt.p95));
        let hidden = if rtt.hides_queues {
            "，不含抓包点之前排队的时间（没有时间戳）"
        } else {
            ""
        };
        format!("往返时延 {min}，中位数 {median}，95% 低于 {p95}{hidden}{captured}")
    }

    fn limit(&self, limit: Limit, cause: Cause) -> String {
        let limit = limit_label(limit, Language::Zh);
        match cause_label(cause, Language::Zh) {
            Some(cause) => format!("{limit}：{cause}"),
            None => limit.to_owned(),
        }
    }

    fn others(&self, count: usize) -> String {
        format!("其他 {} 项", quantity::count(count as u64))
    }

    fn share(&self, name: &str, percent: &str, time: &str) -> String {
        format!("{name}，{percent}，{time}")
    }

    fn evidence(&self, i: &Interval) -> String {
        let name = finest(i.limit, i.cause, Language::Zh);
        match (numbers(i), shown_by(i)) {
            (numbers, None) if numbers.is_empty() => name.to_owned(),
            (numbers, None) => format!("{name}：{numbers}"),
            (numbers, Some(frames)) if numbers.is_empty() => format!("{name}：{frames}"),
            (numbers, Some(frames)) => format!("{name}：{numbers}；{frames}"),
        }
    }

    fn interval(&self, i: &Interval, from: f64, to: f64) -> String {
        let name = self.limit(i.limit, i.cause);
        let frames = shown_by(i).map(|frames| format!("，{frames}")).unwrap_or_default();
        let sure = self.percent(f64::from(i.confidence) / 100.0);
        let text = format!("{from:.6}-{to:.6} s  {name}，把握 {sure}{frames}");
        match numbers(i) {
            numbers if numbers.is_empty() => text,
            numbers => format!("{text}；{numbers}"),
        }
    }

    fn finding(&self, text: &str, frame: u64) -> String {
        if frame > 0 { format!("{text}（{}）", frames(frame, frame)) } else { text.to_owned() }
    }

    fn lifted(&self, limit: Limit) -> &'static str {
        match limit {
            Limit::Handshake => "不用握手",
            Limit::Application => "不用等待应用程序",
            Limit::SendBuffer => "发送缓冲区不受限",
            Limit::ReceiveWindow => "接收窗口不受限",
            Limit::CongestionWindow => "拥塞窗口不受限",
            Limit::PathBandwidth => "路径速率不受限",
            Limit::LossRecovery => "没有丢包",
            Limit::DelayedAck => "没有延迟确认",
            Limit::SilentPath => "链路一直有响应",
            Limit::Unknown => "没有未知因素",
        }
    }

    fn as_it_is(&self) -> &'static str {
        "现在（从第一个字节算起）"
    }

    fn still_turns(&self, turns: u64) -> String {
        format!("应用立即应答，仍有 {} 个来回", count(turns))
    }

    fn predicted(&self, span: String, at_most: bool) -> String {
        if at_most { format!("至多 {span}") } else { span }
    }

    fn gain(&self, gain: Gain) -> String {
        match gain {
            Gain::AtOnce => "立即完成".to_owned(),
            Gain::Less(saved) => format!("省时 {}", self.percent(saved)),
            Gain::Times(n) => format!("提速至 {} 倍", times(n)),
        }
    }

    fn next(&self, limit: Limit) -> String {
        format!("之后受限于：{}", limit_label(limit, Language::Zh))
    }

    fn what_if(&self, [lift, time, gain, next]: &[String; 4]) -> String {
        format!("{lift}：{time}，{gain}，{next}").trim_end_matches('，').to_owned()
    }

    fn percent(&self, part: f64) -> String {
        quantity::percent(part).replace(' ', "")
    }
}

/// "在途最多 16.0 KiB，等待 1,203 次，最长 20.4 ms".
fn numbers(i: &Interval) -> String {
    let parts: Vec<_> = measured(i).iter().map(number).collect();
    parts.join("，")
}

fn number(number: &Measured) -> String {
    match *number {
        Measured::Flight(bytes) => format!("在途最多 {}", buffer(bytes)),
        Measured::Window(bytes) => format!("窗口不小于 {}", buffer(bytes)),
        Measured::Room(0) => "没有余量".to_owned(),
        Measured::Room(bytes) => format!("余量不小于 {}", buffer(bytes)),
        Measured::Rtt(min, None) => format!("往返时延 {}", span(min)),
        Measured::Rtt(min, Some(mean)) => format!("往返时延 {}（平均 {}）", span(min), span(mean)),
        Measured::Stalls(n, Nanos::ZERO) => format!("等待 {} 次", count(n)),
        Measured::Stalls(1, longest) => format!("等待 1 次（{}）", span(longest)),
        Measured::Stalls(n, longest) => format!("等待 {} 次（最长 {}）", count(n), span(longest)),
        Measured::Resent(n) => format!("重传 {} 个段", count(n)),
        Measured::Acked(bytes, bps) => format!("确认了 {}，速率 {}", data(bytes), rate(bps)),
    }
}

/// 帧，以及套接字的采样（如果有）；没有自己的包的区间为 `None`。
fn shown_by(i: &Interval) -> Option<String> {
    let frames = (i.last_frame > 0).then(|| frames(i.first_frame, i.last_frame));
    match (i.source, frames) {
        (Basis::Packets, frames) => frames,
        (_, None) => Some("依据内核采样".to_owned()),
        (Basis::Both, Some(frames)) => Some(format!("{frames}，内核采样一致")),
        (Basis::Samples, Some(frames)) => Some(format!("依据内核采样，{frames}")),
    }
}

/// "帧 120-188".
fn frames(first: u64, last: u64) -> String {
    if last <= first { format!("帧 {first}") } else { format!("帧 {first}-{last}") }
}
