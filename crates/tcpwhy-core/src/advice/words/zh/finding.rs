//! Findings as sentences.

use super::{bytes, end, fills_ethernet, known};
use crate::advice::quantity::{count, data, rate, span};
use crate::model::{Connection, Direction, Finding, FindingKind, Side, WindowScale};
use crate::units::Nanos;

/// One finding with its numbers; the frame is the report's to add.
pub(crate) fn finding(connection: &Connection, finding: &Finding) -> String {
    let (side, other) = (end(finding.side), end(finding.side.other()));
    let (n, value) = (count(finding.count), finding.value);
    match finding.kind {
        FindingKind::SynRetries => format!("{side}不得不重发 SYN（{n} 次）。"),
        FindingKind::Refused => {
            format!("{side}拒绝了连接（RST）：该端口上没有程序在监听，或者是防火墙的应答。")
        }
        FindingKind::Reset => {
            let (after, silent) = after_data(connection, finding);
            format!("{side}{after}中断了连接（RST）{silent}。")
        }
        FindingKind::ZeroWindowDeath => {
            format!("{other}关闭了窗口，再也没有打开：{side}最后 {n} 次探测都没有应答。")
        }
        FindingKind::WindowUpdateLost => format!(
            "{side}重新打开了已关闭的窗口，但告知此事的 {n} 个包没有到达{other}，后者只能以越来越长的间隔探测：它们在从这里出发的途中丢失了。"
        ),
        FindingKind::NotAccepted => format!(
            "{side}的第一批数据及其 {n} 次重传都已到达{other}，却没有得到确认：那里等待应用程序 accept 的连接队列已满，或该主机上的防火墙丢弃了它们。"
        ),
        FindingKind::LateReset => {
            format!("{side}用 RST 拒绝了一个迟到的包：它早已放弃这个连接，而{other}并不知道。")
        }
        FindingKind::DataAfterClose => after_close(finding),
        FindingKind::PmtuBlackHole => format!(
            "{side}发出的包，载荷为 {}的都消失了，更小的却能到达：路径上有 PMTU 黑洞。",
            bytes(value)
        ),
        FindingKind::MssClamped => format!(
            "两端通告的段大小（MSS）不同，{side}的较小，为 {}：{}中间有隧道，或有路由器只在一个方向上钳制 MSS，或是应用程序自己设置的（TCP_MAXSEG）。",
            bytes(value),
            known(fills_ethernet(value), || "另一端使用巨型帧，或".to_owned())
        ),
        FindingKind::Policer => format!(
            "{side}的数据一旦超过某个固定速率就被直接丢弃，并不排队：中间有流量监管（policer）{}。",
            known(value > 0, || format!("，实际通过的速率为 {}", rate(value)))
        ),
        FindingKind::WindowScaleStripped => format!(
            "一端的 SYN 带有窗口缩放选项，而{side}的没有，因此任何窗口都不能超过 64 KiB：该端关闭了这个选项，或者它在途中被去掉了。"
        ),
        FindingKind::KeepAliveOnly => format!("有 {n} 次保活（keep-alive），几乎没有数据。"),
        FindingKind::Corked => format!(
            "{side}写入的数据有 {n} 次最后一段由内核的定时器发出，比其余数据被确认晚 200 ms 加一个往返：它的套接字被塞住了（TCP_CORK）。"
        ),
        FindingKind::AckQueue => format!(
            "{side}的确认在返回途中的队列里平均等待 {}，靠它们放行的数据也等待同样久：从那里出发的线路已满或太慢。请看那条线路上还在传什么（上传、备份）；在它前面使用 fq_codel 或 cake 可以保持队列很短。",
            span(finding.time())
        ),
        FindingKind::CaptureHole => format!(
            "{side}的 {} 数据已被确认，抓包里却没有（{n} 处缺口）：包是抓包时漏掉的，不是网络丢的。",
            data(value)
        ),
        FindingKind::OutOfWindow => format!(
            "有 {n} 个包的序号或确认号远远超出{side}可能发送的范围：包已损坏，或者是别人发的，未计入分析。"
        ),
        FindingKind::RandomLoss => format!(
            "{side}发出的包丢失 {n} 次，丢失前没有排队，位置也不固定：这是随机丢包（线缆不良、无线信道、端口故障），不是拥塞所致。"
        ),
        FindingKind::SeenTwice => {
            format!("{side}的 {n} 个包被抓到两次（两个接口，或镜像端口），每个只计一次。")
        }
        FindingKind::OutOfOrderTime => {
            format!(
                "{side}有 {n} 个包的时间戳顺序不对：抓包时时钟被重新设置过，或者时钟或合并不够精确。"
            )
        }
        FindingKind::Reordered => format!("{side}有 {n} 个段乱序到达。"),
        FindingKind::SpuriousRetransmissions => {
            format!("{side}重传了 {n} 个其实已经到达的段。")
        }
        FindingKind::EcnMarks => {
            format!("发往或来自{side}的包带有 {n} 个 ECN 拥塞标记：途中有队列在不丢包地通知拥塞。")
        }
        FindingKind::SharedPath => format!(
            "同时还有 {n} 个连接在相同的主机间向同一方向传输：连同本连接合计 {}。",
            rate(value)
        ),
        FindingKind::ScaleInferred => format!(
            "{side}的窗口缩放因子是推断的{}：抓包里没有握手的选项，而结论取决于它。",
            scale_range(connection, finding.side)
        ),
        FindingKind::OneWay => {
            format!("只抓到{side}发出的包：{other}收到了什么、说了什么，无从得知。")
        }
        FindingKind::Fragments => {
            format!("{side}有 {n} 个 IP 分片：每个数据报只有第一片可以解读。")
        }
        FindingKind::Midstream => {
            "抓包从连接中途开始，没有握手；哪一端是客户端，只能由端口推测。".to_owned()
        }
    }
}

/// How long after the data a reset came, and which end had not said anything.
fn after_data(c: &Connection, reset: &Finding) -> (String, String) {
    let [own, other] =
        [reset.side, reset.side.other()].map(|side| c.directions[side as usize].bytes);
    let after = match reset.time() {
        _ if own == 0 && other == 0 => "在传输任何数据之前".to_owned(),
        late if late > Nanos::ZERO => format!("在最后的数据之后 {} ", span(late)),
        _ => "在数据传输当中".to_owned(),
    };
    let silent = match (own, other) {
        (1.., 0) => format!("，而{}什么数据也没有发送", end(reset.side.other())),
        (0, 1..) => "，它自己什么数据也没有发送".to_owned(),
        (1.., 1..) if reset.side == Side::Server && reset.value == 0 => {
            "，它已发出的回答可能因此丢失（RFC 9112 第 9.6 节）".to_owned()
        }
        _ => String::new(),
    };
    (after, silent)
}

/// Who spoke to an end that had closed, and what that means.
fn after_close(finding: &Finding) -> String {
    let (side, other) = (end(finding.side), end(finding.side.other()));
    let late = finding.time();
    let when = match late {
        Nanos::ZERO => format!("{other}正在关闭连接时"),
        late => format!("{other}关闭连接之后 {}", span(late)),
    };
    let why = match finding.side {
        Side::Client => "凡是保留连接以备后用的一方，都必须比服务器更早放弃空闲的连接",
        Side::Server => "客户端没有再等（超时，或者有人取消了）",
    };
    format!(
        "{when}，{side}又发送了 {}，被{other}拒绝（RST），数据因此丢失：{why}。",
        data(finding.count)
    )
}

/// "（2^5 到 2^7）": the scale of the window that `side` advertises.
fn scale_range(connection: &Connection, side: Side) -> String {
    let receives = |d: &&Direction| d.from == side.other();
    match connection.directions.iter().find(receives).map(|d| d.facts.scale) {
        Some(WindowScale::Inferred { min, max }) if min == max => format!("（2^{min}）"),
        Some(WindowScale::Inferred { min, max }) => format!("（2^{min} 到 2^{max}）"),
        _ => String::new(),
    }
}
