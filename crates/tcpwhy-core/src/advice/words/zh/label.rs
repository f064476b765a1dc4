//! Names in running text.

use crate::model::{Cause, Limit};

/// A limit's name.
pub(crate) fn limit(limit: Limit) -> &'static str {
    match limit {
        Limit::Handshake => "握手",
        Limit::Application => "应用程序",
        Limit::SendBuffer => "发送缓冲区",
        Limit::ReceiveWindow => "接收窗口",
        Limit::CongestionWindow => "拥塞窗口",
        Limit::PathBandwidth => "带宽瓶颈",
        Limit::LossRecovery => "丢包恢复",
        Limit::DelayedAck => "延迟确认",
        Limit::SilentPath => "链路无响应",
        Limit::Unknown => "未知",
    }
}

/// A cause's name. The page has the same names in `web/src/words/causes.ts`.
pub(crate) fn cause(cause: Cause) -> Option<&'static str> {
    Some(match cause {
        Cause::None => return None,
        Cause::SynRetry => "SYN 重传",
        Cause::SenderApplication => "发送方应用",
        Cause::WaitingForPeer => "等待对端",
        Cause::KeepAlive => "仅有保活",
        Cause::LockedByApplication => "应用程序已锁定",
        Cause::SystemMaximum => "tcp_wmem 上限",
        Cause::SmallBuffer => "缓冲区过小",
        Cause::NoWindowScaling => "无窗口缩放",
        Cause::SlowReader => "读取过慢",
        Cause::ZeroWindow => "零窗口",
        Cause::AutotuningLag => "自动调优滞后",
        Cause::SlowStart => "慢启动",
        Cause::IdleRestart => "空闲后重启",
        Cause::CongestionAvoidance => "拥塞避免",
        Cause::Pacing => "定时发送（pacing）",
        Cause::StandingQueue => "持续排队",
        Cause::SteadyRate => "速率恒定",
        Cause::EcnMarked => "ECN 标记",
        Cause::Policer => "流量监管",
        Cause::FastRetransmit => "快速重传",
        Cause::Timeout => "重传超时",
        Cause::TailLoss => "尾部丢包",
        Cause::DoubleLoss => "重传再次丢失",
        Cause::SmallFlight => "在途数据过少",
        Cause::Spurious => "虚假重传",
        Cause::Nagle => "Nagle",
        Cause::PeerVanished => "对端消失",
        Cause::ProbesUnanswered => "探测无应答",
        Cause::PmtuBlackHole => "PMTU 黑洞",
        Cause::ConnectionForgotten => "连接已被遗忘",
        Cause::CaptureHole => "抓包缺失",
    })
}
