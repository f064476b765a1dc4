//! Simplified Chinese (简体中文).

use super::{Bdp, Buffer, Cell, Chance, Change, Column, Factor, Rates, Section, Words};
use tcpwhy_core::advice::Language;
use tcpwhy_core::advice::quantity::{buffer, data, percent, rate, span};
use tcpwhy_core::units::Nanos;
use tcpwhy_core::whatif::transfer::Phase;
use tcpwhy_report::{padded, phase_label};

/// The Chinese texts.
pub(super) struct Zh;

impl Words for Zh {
    fn tag(&self) -> &'static str {
        "zh-CN"
    }

    fn answer(&self, bytes: u64, time: Nanos, limit: Phase) -> String {
        format!("传输 {} 需要 {}，瓶颈是{}", data(bytes), span(time), self.phase(limit))
    }

    fn range(&self, chance: &Chance) -> String {
        let (p10, p90) = (span(chance.p10), span(chance.p90));
        format!(
            "结果取决于偶然：这是 {} 次运行的中位数，其中八成在 {p10} 至 {p90} 之间",
            chance.runs
        )
    }

    fn rates(&self, r: &Rates) -> String {
        let all = match r.streams {
            0..=1 => String::new(),
            streams => format!("（{streams} 条连接合计）"),
        };
        let steady = r.steady_bps.map_or(String::new(), |bps| format!("，稳定速率 {}", rate(bps)));
        format!("平均速率 {}{steady}{all}，链路 {}", rate(r.mean_bps), rate(r.link_bps))
    }

    fn section(&self, section: Section) -> &'static str {
        match section {
            Section::Phases => "时间花在哪里",
            Section::Buffers => "缓冲区",
            Section::Changes => "只改一处时",
        }
    }

    fn phase(&self, phase: Phase) -> &'static str {
        phase_label(phase, Language::Zh)
    }

    fn bdp(&self, bdp: &Bdp) -> String {
        format!("BDP = {} x {} = {}", rate(bdp.rate_bps), span(bdp.rtt), data(bdp.bytes))
    }

    fn buffer(&self, b: &Buffer) -> String {
        let name = padded(if b.sends { "发送缓冲区" } else { "接收缓冲区" }, 14);
        let (bytes, needed) = (buffer(b.bytes), buffer(b.needed));
        format!("{name}  结束时 {bytes:>10}；要跑满链路至少需要 {needed}")
    }

    fn clamped(&self, option: &str, sysctl: &str, bytes: u64) -> String {
        format!("{option} 会被悄悄限制为 net.core.{sysctl} = {}", buffer(bytes))
    }

    fn raised(&self, option: &str, asked: u64, least: u64) -> String {
        format!("{option} {asked} 字节是合法的，得到的是内核的最小值 {least} 字节")
    }

    fn change(&self, change: Change) -> &'static str {
        match change {
            Change::SendTimes(Factor::Two) => "SO_SNDBUF 增大为两倍",
            Change::SendTimes(Factor::Four) => "SO_SNDBUF 增大为四倍",
            Change::SendAutomatic => "不设置 SO_SNDBUF",
            Change::ReceiveTimes(Factor::Two) => "SO_RCVBUF 增大为两倍",
            Change::ReceiveTimes(Factor::Four) => "SO_RCVBUF 增大为四倍",
            Change::ReceiveAutomatic => "不设置 SO_RCVBUF",
            Change::NoOffload => "每个包缓冲区只放一个段",
            Change::WideBuffers => "缓冲区自动调优，上限为四倍 BDP",
            Change::Warm => "已预热的连接",
            Change::Bbr => "bbr",
            Change::NoLoss => "没有丢包",
            Change::NoPolicer => "没有流量监管（policer）",
            Change::FastReader => "接收应用及时读取",
            Change::HalfRoundTrip => "往返时延减半",
        }
    }

    fn percent(&self, part: f64) -> String {
        // Chinese sets no space before the sign.
        percent(part).replace(' ', "")
    }

    fn gain(&self, times: Option<f64>) -> String {
        times.map_or("无收益".to_owned(), |times| format!("{times:.1} 倍速"))
    }

    fn shades(&self) -> &'static str {
        "速率占链路的比例：. 为 0%，█ 为 100%"
    }

    fn sweep(&self, across: &str, down: Option<&str>) -> String {
        let down = down.map_or(String::new(), |d| format!("和 {d} "));
        format!("速率占链路的比例，随 {across} {down}变化：白色 0%，深色 100%")
    }

    fn column(&self, column: Column) -> &'static str {
        match column {
            Column::Time => "耗时",
            Column::Rate => "速率",
            Column::OfTheLink => "占链路",
            Column::Limit => "限制因素",
        }
    }

    fn cell(&self, c: &Cell<'_>) -> String {
        let down = c.down.map_or(String::new(), |d| format!("，{d}"));
        let p = c.prediction;
        let (rate, time, limit) = (rate(c.rate_bps), span(p.time), self.phase(p.limit()));
        format!("{}{down}：{rate}，用时 {time}，瓶颈是{limit}", c.across)
    }
}
