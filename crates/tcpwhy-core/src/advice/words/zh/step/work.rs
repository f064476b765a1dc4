//! Steps in applications.

use crate::advice::quantity::{buffer, count, rate, round_trips, span};
use crate::advice::step::Work;
use crate::advice::words::zh::{frames, known, limit, place};
use crate::model::Side;
use crate::units::bits_per_second;

/// One step as an instruction.
pub(super) fn step(step: &Work) -> String {
    match *step {
        Work::ProfileApplication { at, first } => format!(
            "查看{}上的应用程序在{}，或者它的数据从哪里来；它自己的日志、`perf` 或 `strace -f -T -p PID` 可以说明。",
            place(&at),
            if first {
                "第一次写入之前做什么（磁盘、数据库、锁、CPU）"
            } else {
                "两次写入之间做什么（磁盘、数据库、锁、CPU、自身的限速）"
            }
        ),
        Work::Uncork { at } => format!(
            "在{}的应用程序中，每条消息写完时把那个套接字的 TCP_CORK 设为 0：否则不满一段的数据要等内核的定时器 200 ms。",
            place(&at)
        ),
        Work::ProfilePeer { at } => format!(
            "查看{}上的应用程序从{}要用多长时间。",
            place(&at),
            match at.side {
                Side::Client => "读完应答到发出下一个请求",
                Side::Server => "读完请求到写出应答",
            }
        ),
        Work::SeeAnswers { at, held_by } => format!(
            "请先看另一个方向：{}发送的数据在大部分时间里受另一个因素（{}）限制。",
            place(&at),
            limit(held_by)
        ),
        Work::EnlargeGrant { at, asks, rtt, flight } => format!(
            "如果协议有自己的窗口（{}），请把它调大：在途 {}、往返时延 {} 时，最多只能达到 {}。",
            match asks == at {
                true => format!("HTTP/2、gRPC 或 SSH 的流量控制，或同时进行的请求数，都在{}上", place(&at)),
                false => format!(
                    "HTTP/2、gRPC 或 SSH 的流量控制在{}上，同时进行的请求数在{}上",
                    place(&at),
                    place(&asks)
                ),
            },
            buffer(flight),
            span(rtt),
            rate(bits_per_second(flight, rtt))
        ),
        Work::NoSettingHelps => "调整网络或缓冲区没有用。".to_owned(),
        Work::ShortenTheWay => {
            "增加带宽或缓冲区在这里毫无作用：只有减少来回次数，或者让两端离得更近。".to_owned()
        }
        Work::CarryLess { carried } => format!(
            "其中 {} 是路径传送请求和应答所用的时间：少传一些字节（压缩、少请求一些）或换更快的链路可以缩短它。",
            span(carried)
        ),
        Work::BatchRequests { at, rtt, turns } => format!(
            "在{}上，每次多请求一些，或者不等应答就发出下一个请求（批量、流水线、多个连接）：{} 个来回中，每个至少要花一个往返时延{}。",
            place(&at),
            count(turns),
            known(rtt.0 > 0, || {
                format!("（{}），合计 {}", span(rtt), span(round_trips(turns, rtt)))
            })
        ),
        Work::KeepAliveIsHarmless => {
            "无需修改：保活（keep-alive）几乎没有开销。如果两端本该有数据往来，请查看应用程序为什么没有。"
                .to_owned()
        }
        Work::InspectReader { at, frames: (first, last) } => format!(
            "查明{}上的应用程序不读取时在做什么{}：`ss -tmi` 的 Recv-Q 显示还没有读走的字节，进程的调用栈显示它在哪里等待。",
            place(&at),
            frames(first, last)
        ),
        Work::LargerBufferOnlyPostpones { at } => format!(
            "{}的缓冲区不要动：更大的接收缓冲区也会被填满，停顿只是晚一点到来。",
            place(&at)
        ),
        Work::WriteMoreAtOnce { at } => format!(
            "在{}上，如果数据是现成的，就用更大的写入交给内核：在途的包多了，一个往返时延之内就能发现丢包，不必等定时器。",
            place(&at)
        ),
        Work::SoonerNotShorter { by, then, next } => format!(
            "没有这个限制，每次写入的数据最多可早到 {}，但全部传完仍需 {}，因为接下来的限制是{}。",
            span(by),
            span(then),
            limit(next)
        ),
        Work::CombineWrites { at } => format!(
            "在{}的应用程序中，把小块写入合并成一次：用每条消息刷新一次的带缓冲的写入、`writev`，或者在消息前后使用 TCP_CORK。",
            place(&at)
        ),
        Work::SetNodelay { at } => format!(
            "如果小块无法合并，就在{}的那个套接字上设置 TCP_NODELAY：小块数据会立刻发出，代价是包更多。",
            place(&at)
        ),
    }
}
