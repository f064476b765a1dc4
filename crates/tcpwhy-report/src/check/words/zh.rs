//! Simplified Chinese (简体中文).

use super::{Course, Label, Line, Words};
use crate::phase_label;
use tcpwhy_core::advice::Language;
use tcpwhy_core::advice::quantity::{buffer, data, percent, rate, span};
use tcpwhy_core::check::{Gain, Judged, NEVER, Path, Source, Weight, What};
use tcpwhy_core::whatif::transfer::Phase;

/// The Chinese texts.
pub(super) struct Zh;

impl Words for Zh {
    fn line(&self, line: Line) -> &'static str {
        match line {
            Line::Nothing { paths: true } => "在这些路径上没有发现限制或损害传输的设置。",
            Line::Nothing { paths: false } => "没有发现损害所有传输的设置。",
            Line::LookAt => "需要关注",
            Line::Leave => "保持不变",
            Line::NoPath => {
                "路径未知：只检查了损害所有传输的设置，没有检查缓冲区是否足够大。请用 --rate 和 --rtt，或用 --peer 指定路径。"
            }
            Line::NothingToChange => "无需更改。",
            Line::HowToUse => "  保存为 /etc/sysctl.d/90-tcpwhy.conf 并运行 sysctl --system",
        }
    }

    fn label(&self, label: Label) -> &'static str {
        match label {
            Label::Congestion => "拥塞控制",
            Label::SendBuffers => "发送缓冲区",
            Label::ReceiveBuffers => "接收缓冲区",
            Label::Memory => "TCP 内存",
            Label::Device => "网卡",
            Label::Route => "路由",
        }
    }

    fn assumed(&self, version: &str) -> String {
        format!("{version}（假定）")
    }

    fn unknown(&self) -> &'static str {
        "未知"
    }

    fn memory(&self, used: Option<u64>, pressure: u64, most: u64) -> String {
        let used = used.map_or(String::new(), |used| format!("已用 {}，", buffer(used)));
        format!("{used}{} 起为内存压力，最多 {}", buffer(pressure), buffer(most))
    }

    fn range(&self, from: u64, to: u64) -> String {
        format!("{} 至 {}", buffer(from), buffer(to))
    }

    fn note(&self, text: &str) -> String {
        format!("注意：{text}")
    }

    fn path(&self, n: usize, p: &Path) -> String {
        let peer = p.peer.map_or(String::new(), |peer| format!("（到 {peer}）"));
        let (rate, rtt) = (rate(p.rate_bps), span(p.rtt));
        let (rate_from, rtt_from) = (self.source(p.rate_from), self.source(p.rtt_from));
        format!("路径 {n}{peer}：{rate}（{rate_from}），往返时延 {rtt}（{rtt_from}）")
    }

    fn route(&self, device: &str, mss: u64, initcwnd: Option<u32>) -> String {
        let cwnd = initcwnd.map_or(String::new(), |v| format!("，initcwnd {v}"));
        format!("经由 {device}，每段 {mss} B{cwnd}")
    }

    fn by_the_model(&self, judged: &Judged) -> String {
        format!("BDP {}；按模型传输 {}：", data(judged.path.bdp()), data(judged.size))
    }

    fn course(&self, c: &Course) -> String {
        let (what, time, rate) = (does(c.sends), span(c.time), rate(c.bps));
        let which = if c.steady { "最终速率" } else { "平均速率" };
        let part = self.percent(c.part);
        let held = |&(phase, part): &_| {
            format!("{} {}", phase_label(phase, Language::Zh), self.percent(part))
        };
        let held = c.held.iter().map(held).collect::<Vec<_>>().join("，");
        format!("{what}：{time:>8}，{which} {rate}（路径的 {part}）；时间占比：{held}")
    }

    fn endless(&self, sends: bool, limit: Phase) -> String {
        let (what, limit) = (does(sends), phase_label(limit, Language::Zh));
        format!("{what}：无法完成，瓶颈是{limit}")
    }

    fn weight(&self, weight: Weight) -> &'static str {
        match weight {
            Weight::Limit => "限制",
            Weight::Harm => "有害",
            Weight::Note => "注意",
        }
    }

    fn why(&self, what: What) -> &'static str {
        match what {
            What::SendMax => "内核不允许发送缓冲区增长到这条路径所需的大小",
            What::ReceiveMax => "内核不允许接收窗口增长到这条路径所需的大小",
            What::SendClamp => "设置 SO_SNDBUF 的程序最多得到这么多，且没有提示；最好不要设置",
            What::ReceiveClamp => "设置 SO_RCVBUF 的程序最多得到这么多，且没有提示；最好不要设置",
            What::NoAutotuning => "接收窗口不会增长：每个连接都停在 tcp_rmem 的中间值",
            What::NoWindowScaling => "两个方向的窗口都不会超过 64 KiB",
            What::NoSack => "丢包后发送方每个往返只能得知一个缺口",
            What::NoTimestamps => "重传的数据无法测量往返时延，高速路径上也无法区分回绕的序列号",
            What::AdvWinScale => "它从每个接收缓冲区中扣除的开销过多，窗口因此变小",
            What::IdleRestart => {
                "连接停顿之后又从慢速开始；设为 0 可保留窗口（反复使用的连接会受益）"
            }
            What::NotsentLowat => "发送缓冲区还有空间，写入者却要等待；这是为低延迟所做的选择",
            What::InitialWindow => "该路由的初始段数少于内核的默认值",
            What::InitialReceive => "该路由的初始窗口小于发送方的第一批数据",
            What::Congestion => {
                "它在这条路径上丢包后恢复缓慢（其他选择见 net.ipv4.tcp_available_congestion_control）"
            }
            What::Shaper => "这个排队规则会限制速率或增加时延：见 tc -s qdisc",
            What::Offload => "数据包要逐个生成，耗费处理器时间，固定的发送缓冲区能容纳的也更少",
            What::ReceiveOffload => "数据包要逐个接收，耗费处理器时间，ACK 也更多",
            What::SmallMtu => "包头占用更多带宽，要处理的包也更多",
            What::MemoryPressure => {
                "TCP 占用的内存已超过压力线：窗口缩小，缓冲区不再增长；先查明谁占用了内存（ss -tm）"
            }
            What::MemoryMarks => {
                "它允许 TCP 使用超过全部内存的空间：该设置的单位是页而不是字节；请去掉它，由内核选择"
            }
            What::MemoryLimit => {
                "所有连接合计不会得到更多内存（单位是页），而这条路径上的一次传输就需要更多：在此之前增大缓冲区没有帮助；请去掉它，由内核选择"
            }
            What::SendLocked => "程序设置了 SO_SNDBUF，这会关闭内核的自动调优；请去掉该调用",
            What::ReceiveLocked => "程序设置了 SO_RCVBUF，这会关闭内核的自动调优；请去掉该调用",
        }
    }

    fn stay(&self, setting: &str) -> &'static str {
        match setting {
            "net.ipv4.tcp_mem" => "单位是页，由内核根据机器内存选定",
            "net.ipv4.tcp_moderate_rcvbuf" => "1 允许接收窗口增长",
            "net.ipv4.tcp_adv_win_scale" => "自 Linux 6.6 起不起作用；此前 1 是合适的值",
            "net.ipv4.tcp_sack" => "1 可在一个往返内修复多处丢包",
            "net.ipv4.tcp_timestamps" => "1 可测量往返时延并保护高速路径",
            _ => "1 允许超过 64 KiB 的窗口",
        }
    }

    fn source(&self, source: Source) -> &'static str {
        match source {
            Source::Given => "给定",
            Source::Sockets => "从现有套接字得知",
            Source::Connect => "建立连接所用的时间",
            Source::Device => "网卡速率",
        }
    }

    fn gain(&self, gain: &Gain, path: Option<usize>) -> String {
        let on = path.map_or(String::new(), |n| format!("（路径 {n}）"));
        let on = if gain.together { format!("{on}（所有限制一并更改）") } else { on };
        let (size, after) = (data(gain.size), span(gain.after));
        if gain.before == NEVER {
            return format!("按模型的收益{on}：{size} 用时 {after}，现在无法完成");
        }
        let (before, factor) = (span(gain.before), gain.factor());
        format!("按模型的收益{on}：{size} 用时 {after}，而不是 {before}（快 {factor:.1} 倍）")
    }

    fn cost(&self, each: u64, all: Option<u64>) -> String {
        let all = all.map_or(String::new(), |all| {
            format!("；所有连接合计不超过 tcp_mem 的 {}", buffer(all))
        });
        format!("最坏情况下的内存：每个连接多 {}{all}", buffer(each))
    }

    fn of_host(&self, name: &str) -> String {
        format!("由 tcpwhy check 根据 {name} 生成。请先阅读，然后：")
    }

    fn of_path(&self, p: &Path) -> String {
        let peer = p.peer.map_or(String::new(), |peer| format!("（到 {peer}）"));
        format!("路径{peer}：{}，往返时延 {}", rate(p.rate_bps), span(p.rtt))
    }

    fn now(&self, current: &str, what: What) -> String {
        format!("当前 {current}：{}。", self.why(what))
    }
}

impl Zh {
    /// Chinese sets no space before the sign.
    fn percent(&self, part: f64) -> String {
        percent(part).replace(' ', "")
    }
}

fn does(sends: bool) -> &'static str {
    if sends { "本机发送" } else { "本机接收" }
}
