//! Simplified Chinese (简体中文).

use super::{Key, Kind, Store};
use tcpwhy_core::picture::Mark;

pub(super) fn title(kind: Kind) -> &'static str {
    match kind {
        Kind::TimeSequence => "时间与序列号",
        Kind::Flight => "在途字节与上限",
        Kind::Window => "通告窗口",
        Kind::Rtt => "往返时延",
        Kind::Throughput => "吞吐量",
        Kind::Band => "时间线",
        Kind::Samples => "套接字中的数据",
        Kind::Ladder => "逐包查看",
        Kind::Warehouses => "三个仓库",
    }
}

pub(super) fn key(key: Key) -> &'static str {
    match key {
        Key::Data => "数据",
        Key::Resent => "重传",
        Key::Acks => "已确认",
        Key::Edge => "窗口允许的上限",
        Key::Sacks => "SACK",
        Key::Flight => "在途",
        Key::Window => "通告窗口",
        Key::Plateau => "发送缓冲区（平台）",
        Key::Cwnd => "拥塞窗口（估计）",
        Key::Rtt => "RTT",
        Key::RttFloor => "最低值",
        Key::Sent => "发送",
        Key::Goodput => "有效速率",
        Key::SendQueue => "发送队列",
        Key::SendMemory => "占用的内存",
        Key::SendBuffer => "发送缓冲区",
        Key::SampledCwnd => "拥塞窗口",
        Key::Ssthresh => "慢启动阈值",
        Key::ReceiveQueue => "接收队列",
        Key::ReceiveBuffer => "接收缓冲区",
    }
}

pub(super) fn store(store: Store) -> &'static str {
    match store {
        Store::Sender => "发送缓冲区",
        Store::UnknownSender => "发送缓冲区：大小未知",
        Store::Road => "道路，按已知最高速率",
        Store::Receiver => "接收缓冲区",
    }
}

pub(super) fn mark(mark: Mark) -> &'static str {
    match mark {
        Mark::ZeroWindow => "零窗口",
        Mark::WindowFull => "窗口已满",
        Mark::DuplicateAck => "重复确认",
        Mark::Marked => "拥塞标记（CE）",
        Mark::Echo => "回告标记（ECE）",
        Mark::Reduced => "发送方降速（CWR）",
        Mark::Syn => "SYN",
        Mark::Fin => "FIN",
        Mark::Rst => "RST",
        Mark::Timeout => "定时器超时",
    }
}
