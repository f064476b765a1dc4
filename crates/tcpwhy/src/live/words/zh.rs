//! Simplified Chinese (简体中文).

use super::{Headline, Held, Label, Line, Verdict, Watch, Words};
use crate::live::kernel::{Set, Status};
use crate::live::row::Role;
use crate::live::ui::Sort;
use crate::live::unlock::plan::{Refused, Step};
use tcpwhy_core::advice::quantity::{self, buffer, rate, span};
use tcpwhy_core::advice::{Language, limit_label};
use tcpwhy_core::model::Limit;
use tcpwhy_core::socket::{Buffer, Difference, Holder};
use tcpwhy_core::units::Nanos;
use tcpwhy_live::causes::{Counts, Lost, Tuned};
use tcpwhy_live::memory::{Memory, Pressure};

/// The Chinese texts.
#[derive(Debug)]
pub(super) struct Zh;

/// Chinese sets no space before the sign.
fn percent(part: f64) -> String {
    quantity::percent(part).replace(' ', "")
}

impl Words for Zh {
    fn language(&self) -> Language {
        Language::Zh
    }

    fn line(&self, line: Line) -> &'static str {
        match line {
            Line::Nothing => "没有套接字在发送、接收或等待（--all 显示空闲的）。",
            Line::NoSocket => "没有已连接的套接字。",
            Line::NothingYet => "没有套接字在发送、接收或等待；按 a 显示空闲的。",
            Line::NothingFits => "没有套接字符合过滤条件。",
            Line::Sampling => "正在采样……",
            Line::Frozen => "已冻结",
            Line::Keys => "q 退出  ↑↓ 选择  Enter 详情  s 排序  / 过滤  f 冻结  a 全部  ? 按键",
            Line::KeysToClose => "Esc 关闭  q 退出  ↑↓ 选择  s 排序  / 过滤  ? 按键",
            Line::KeysOfFilter => {
                "Esc 清除过滤  q 退出  ↑↓ 选择  Enter 详情  s 排序  / 过滤  ? 按键"
            }
            Line::AllKeys => {
                "\
↑ ↓  k j    选择套接字；PgUp PgDn 一次十个
Enter       显示或隐藏其详情
s           按损失的时间、速率、往返时间、进程排序
/           过滤：Enter 保留，Esc 清除
Esc         关闭本页、关闭详情，或清除过滤
f  Space    冻结屏幕
a           也显示空闲的
?  h        显示这些按键
q  Ctrl-C   退出"
            }
            Line::Closed => "（已关闭）",
            Line::Unchanged => "未作任何更改。加上 --yes 才会执行。",
            Line::Interrupted => "已中断；未作任何更改。",
            Line::Stays => "在连接结束之前一直如此。",
            Line::PutBack => "一切已恢复原样。",
        }
    }

    fn header(&self) -> [&'static str; 8] {
        ["进程", "本端", "对端", "发送", "接收", "RTT", "限制因素", "内核计时"]
    }

    fn screen(&self, long: bool) -> [&'static str; 7] {
        let last = if long { "最近一轮" } else { "最近一分钟" };
        ["进程", "对端", "速率", "RTT", "当前限制", "损失", last]
    }

    fn unmatched(&self, options: &str) -> String {
        format!("没有套接字符合 {options}。")
    }

    fn role(&self, role: Role) -> &'static str {
        match role {
            Role::Sends => "发送",
            Role::Receives => "接收",
            Role::Idle => "空闲",
        }
    }

    fn verdict(&self, v: &Verdict<'_>) -> String {
        let share = v.share.map_or_else(String::new, |share| format!(" {}", percent(share)));
        let cause = v.cause.map_or_else(String::new, |cause| format!("，{cause}"));
        let held = v.held.map_or_else(String::new, |held| format!("：{}", self.held(held)));
        format!("{}{share}{cause}{held}", v.limit)
    }

    fn limit(&self, limit: &str, cause: Option<&str>) -> String {
        cause.map_or_else(|| limit.to_owned(), |cause| format!("{limit}，{cause}"))
    }

    fn held(&self, held: Held) -> String {
        match held {
            Held::Send(b) => self.buffer(&b, "tcp_wmem"),
            Held::Refused => "内核拒绝分配更多内存（tcp_mem，或 cgroup 的上限）".to_owned(),
            Held::Receive(b) => format!("接收缓冲区 {}", self.buffer(&b, "tcp_rmem")),
            Held::LateAcks => "确认迟到：读取过慢，或路径上有排队".to_owned(),
            Held::LowWater(bytes) => {
                format!("写入被 TCP_NOTSENT_LOWAT 限制在 {}", buffer(bytes.into()))
            }
        }
    }

    fn buffer(&self, b: &Buffer, sysctl: &str) -> String {
        let size = buffer(b.bytes);
        match b.holder {
            Holder::Application => format!("被应用程序锁定在 {}", buffer(b.bytes / 2)),
            Holder::SystemMost => format!("{size}，受 {sysctl} 上限限制"),
            Holder::NotGrownYet => format!("{size}，尚未增长（{sysctl} 允许更大）"),
            Holder::NotPermitted => format!("{size}，无法读取锁定状态"),
        }
    }

    fn watch(&self, w: &Watch) -> String {
        let mark = if w.differs { "（不一致）" } else { "" };
        let (busy, rwnd, sndbuf) = (percent(w.busy), percent(w.rwnd), percent(w.sndbuf));
        format!("busy {busy} rwnd {rwnd} sndbuf {sndbuf}{mark}")
    }

    fn difference(&self, difference: Difference) -> &'static str {
        match difference {
            Difference::LateForBuffer => {
                "只有在一次未被拥塞窗口阻止的发送之后、队列为空且已有写入者等待时，内核才计为发送缓冲区已满"
            }
            Difference::PacedFirst => {
                "内核先检查定时发送（pacing）和拥塞窗口，再检查接收窗口，因此把定时发送的一方计为 busy"
            }
            Difference::Trickle => "busy 只表示有数据尚未确认，应用程序零星写入时也会一直如此",
            Difference::RunsOn => "内核计时会一直记在同一个限制上，直到下一次发送",
        }
    }

    fn explained(&self, watch: &str, difference: Difference) -> String {
        format!("{watch}：{}", self.difference(difference))
    }

    fn differs(&self, difference: Difference) -> String {
        format!("内核计时与此不一致：{}", self.difference(difference))
    }

    fn user(&self, uid: u32) -> String {
        format!("（uid {uid}）")
    }

    fn label(&self, label: Label) -> &'static str {
        match label {
            Label::SendBuffer => "发送缓冲区",
            Label::Flight => "在途",
            Label::PeerWindow => "对端窗口",
            Label::ReceiveBuffer => "接收缓冲区",
            Label::Queue => "队列",
            Label::Watch => "内核计时",
            Label::Judged => "每个 ACK",
            Label::Slept => "线程睡眠",
            Label::Tuned => "自动调优",
            Label::Events => "事件",
            Label::Set => "设置",
        }
    }

    fn slept(&self, writing: f64, reading: f64) -> Option<String> {
        let parts = [("写入时", writing), ("读取时", reading)];
        let slept = parts.iter().filter(|(_, part)| *part > 0.0);
        let words: Vec<_> = slept.map(|(at, part)| format!("{at} {}", percent(*part))).collect();
        (!words.is_empty()).then(|| format!("占本轮时间：{}", words.join("，")))
    }

    fn shares(&self, limits: &[(Limit, f64)]) -> Option<String> {
        let word = |(limit, part): &(Limit, f64)| {
            format!("{} {}", limit_label(*limit, Language::Zh), percent(*part))
        };
        let words: Vec<_> = limits.iter().map(word).collect();
        (!words.is_empty()).then(|| words.join("，"))
    }

    fn events(&self, c: &Counts) -> Option<String> {
        let all = [
            ("重传", c.retransmits, "次"),
            ("发送时内存不足", c.refused_sending, "次"),
            ("接收时内存不足", c.refused_receiving, "次"),
            ("因接收队列已满丢弃", c.queue_full, "个段"),
        ];
        let there = all.iter().filter(|(_, count, _)| *count > 0);
        let words: Vec<_> = there.map(|(what, count, of)| format!("{what} {count} {of}")).collect();
        (!words.is_empty()).then(|| words.join("，"))
    }

    fn tuned(&self, tuned: &Tuned) -> Option<String> {
        let of = |what: &str, send| {
            let (sizes, before) = super::sizes(tuned, send)?;
            let before = if before > 0 { format!("，此前 {before} 次") } else { String::new() };
            Some(format!("{what}缓冲区 {sizes}{before}"))
        };
        let words: Vec<_> = of("发送", true).into_iter().chain(of("接收", false)).collect();
        (!words.is_empty()).then(|| words.join("；"))
    }

    fn set(&self, set: &Set, age: Nanos, stack: &str) -> String {
        let a = &set.asked;
        let value = a.value.map_or_else(|| "?".to_owned(), |value| value.to_string());
        let heir = if a.inherited { "（在监听套接字上）" } else { "" };
        let (option, command, age) = (a.option.name(), &a.command, span(age));
        let (process, thread) = (a.process, a.thread);
        format!("{option} = {value}{heir}，{age} 前由 {command} {process}/{thread} 设置：{stack}")
    }

    fn missing(&self, s: &Status, optional: bool) -> Vec<String> {
        let absent = s.absent.iter().map(|why| format!("没有内核事件：{why}。"));
        let refused = s.refused.iter().filter(|r| optional || !r.optional).map(|r| {
            let loss = match r.program {
                "iter/task_file" => "；缺少它，改由 /proc 查找进程，并逐个套接字读取锁定",
                _ if r.optional => "；缺少它，只是看不到 splice 和 io_uring 中的睡眠",
                _ => "",
            };
            format!("未能挂接：{}：{}{loss}。", r.program, r.why)
        });
        let closed = s
            .closed
            .iter()
            .map(|(count, why)| format!("有 {count} 个网络命名空间无法进入，因而未显示：{why}。"));
        let Lost { calls, sleepers, places, counts, stacks } = s.lost;
        let lost = (!s.lost.is_none()).then(|| {
            format!(
                "因空间不足而丢失：{calls} 次 setsockopt 调用，{sleepers} 个睡眠线程，{places} 处睡眠位置，\
                 {counts} 个计数，{stacks} 个调用栈。"
            )
        });
        let short = s.memory.filter(|m| m.is_short).map(|Memory { pages, bounds, .. }| {
            let bound =
                bounds.map_or_else(String::new, |b| format!("，tcp_mem[1] 为 {}", b.pressure));
            format!("TCP 内存不足：{pages} 页{bound}：缓冲区会缩小。")
        });
        let Pressure { times, long } = s.pressure;
        let pressed = (!s.pressure.is_none()).then(|| {
            format!(
                "自开始以来 TCP 内存不足 {times} 次，共 {}（TCPMemoryPressures）：缓冲区曾缩小。",
                span(super::nanos(long))
            )
        });
        absent.chain(refused).chain(closed).chain(lost).chain(short).chain(pressed).collect()
    }

    fn headline(&self, h: &Headline<'_>) -> String {
        let by = match h.sort {
            Sort::Lost => "损失的时间",
            Sort::Rate => "速率",
            Sort::RoundTrip => "往返时延",
            Sort::Process => "进程",
        };
        let with = match h.filter {
            "" => String::new(),
            text => format!("，包含“{text}”"),
        };
        format!("tcpwhy live  {} 个套接字，按{by}排序{with}", h.sockets)
    }

    fn typing(&self, filter: &str) -> String {
        format!("过滤：{filter}_   Enter 保留  Esc 清除")
    }

    fn packets(&self, in_flight: u32, cwnd: u32) -> String {
        format!("{in_flight} / {cwnd} 个包（cwnd）")
    }

    fn window(&self, outstanding: u32, window: u32) -> String {
        format!("{} / {}（对端通告）", buffer(outstanding.into()), buffer(window.into()))
    }

    fn queues(&self, unsent: u32, unread: u32, offered: Option<u32>) -> String {
        let window = |w: u32| format!("，通告窗口 {}", buffer(w.into()));
        let offered = offered.map_or_else(String::new, window);
        format!("未发送 {}，未读取 {}{offered}", buffer(unsent.into()), buffer(unread.into()))
    }

    fn descriptor(&self, fd: u32, pid: u32, ends: Option<&str>) -> String {
        let ends = ends.map_or_else(String::new, |ends| format!("，{ends}"));
        format!("进程 {pid} 的描述符 {fd}{ends}")
    }

    fn step(&self, step: Step, most: u64) -> String {
        match step {
            Step::UnlockSend => {
                let most = if most > 0 { format!("（{}）", buffer(most)) } else { String::new() };
                format!(
                    "解除发送缓冲区的锁定（SO_BUF_LOCK）：内核重新自动调优，直至 tcp_wmem 上限{most}"
                )
            }
            Step::GrowReceive { ask, most } => format!(
                "把接收缓冲区设为 2 x {}（SO_RCVBUF），并随之调整窗口上限（TCP_WINDOW_CLAMP）；SYN 的窗口缩放最多允许 {}",
                buffer(ask.into()),
                buffer(most)
            ),
        }
    }

    fn refused(&self, refused: &Refused) -> String {
        match *refused {
            Refused::NothingLocked { send, receive } => format!(
                "两个缓冲区都没有锁定：发送缓冲区（{}）和接收缓冲区（{}）由内核自动调优",
                buffer(send),
                buffer(receive)
            ),
            Refused::Unscaled => {
                "接收缓冲区在建立连接之前就已设置，SYN 因此把窗口缩放固定为 0：这条连接再也无法通告超过 64 KiB 的窗口；\
                 请去掉设置 SO_RCVBUF 的调用，然后重新连接"
                    .to_owned()
            }
            Refused::Listens => {
                "它是监听套接字，其上没有可以加速的连接：它接受的连接会继承它的缓冲区；请去掉在 listen() 之前设置缓冲区的调用，\
                 然后重新连接"
                    .to_owned()
            }
            Refused::NotConnected => "它没有连接：没有可以加速的传输".to_owned(),
            Refused::LargeAlready { receive, most } => format!(
                "接收缓冲区已经是 {}，net.core.rmem_max（{}）不允许更大",
                buffer(receive),
                buffer(most)
            ),
        }
    }

    fn not_possible(&self, why: &str) -> String {
        format!("无法做到：{why}")
    }

    fn before(&self, bps: u64) -> String {
        format!("之前：{}", rate(bps))
    }

    fn after(&self, before_bps: u64, bps: u64) -> String {
        let gain = match super::gain(before_bps, bps) {
            None if bps == 0 => "：期间没有数据传输，无法得知效果".to_owned(),
            None => String::new(),
            Some(times) if times >= super::WORTH => format!("，是之前的 {times:.1} 倍"),
            Some(_) => "：没有提高；瓶颈不是缓冲区".to_owned(),
        };
        format!("之后：{}{gain}", rate(bps))
    }
}
