//! The notes in Simplified Chinese (简体中文). What the system or a decompressor said, and the details of a
//! malformed block, stay as they are: people search for them.

use super::{Note, NoteKind};
use crate::damage::{Damage, unpack};
use tcpwhy_core::advice::quantity::{buffer, count, span};
use tcpwhy_core::units::Nanos;

/// A note as one sentence.
pub(super) fn note(note: &Note) -> String {
    match &note.kind {
        NoteKind::NotRead(sentence) => format!("没有读取：{sentence}"),
        kind if note.others == 0 => format!("{}：{}", note.file, self::kind(kind)),
        kind => {
            let (said, others) = (self::kind(kind), count(note.others as u64));
            format!("{}：{said}；另有 {others} 个文件也是如此", note.file)
        }
    }
}

fn kind(kind: &NoteKind) -> String {
    match kind {
        NoteKind::NotRead(sentence) => sentence.clone(),
        NoteKind::Damaged { offset, compression, damage } => {
            let damage = self::damage(damage);
            let of = compression.map(|kind| format!("（按 {kind} 解压后计）")).unwrap_or_default();
            format!("{damage}，位于第 {offset} 字节{of}；此前的内容都已读取，此后的没有")
        }
        NoteKind::BehindGzip { bytes } => {
            format!("忽略了 gzip 压缩流结尾之后的 {} 字节，它们不是 gzip 数据", count(*bytes))
        }
        NoteKind::Empty => "文件是空的（0 字节）".to_owned(),
        NoteKind::NoPackets => "抓包里没有任何包".to_owned(),
        NoteKind::Drops { interface, received, by_interface, by_system } => {
            let received =
                received.map(|n| format!("，共收到 {} 个", count(n))).unwrap_or_default();
            let (device, system) = (count(*by_interface), count(*by_system));
            format!(
                "接口 {interface} 抓包时漏掉了包：接口丢弃 {device} 个，系统丢弃 {system} 个{received}"
            )
        }
        NoteKind::DropsOfMany { interfaces, by_interface, by_system, worst } => {
            let (interfaces, most) = (count(*interfaces), count(worst.1));
            let (device, system) = (count(*by_interface), count(*by_system));
            format!(
                "{interfaces} 个接口抓包时漏掉了包：接口丢弃 {device} 个，系统丢弃 {system} 个；最多的是 {}，{most} 个",
                worst.0
            )
        }
        NoteKind::TimeBackwards { count: n, most } => {
            let n = count(*n);
            format!("{n} 个包的时间戳早于前一个包，最多早 {}", span(*most))
        }
        NoteKind::InvalidTimes { count: n } => {
            let n = count(*n);
            format!("{n} 个时间戳的小数部分超过一秒，已照加")
        }
        NoteKind::NoTimes { count: n } => {
            let n = count(*n);
            format!("{n} 个包没有时间戳，已采用前一个包的时间")
        }
        NoteKind::WrongDates { count: n } => {
            let n = count(*n);
            format!("{n} 个包的时间戳早于 1678 年或晚于 2262 年，只采用它们之间的时间差")
        }
        NoteKind::Clock { of, ahead } => {
            let by = span(Nanos(ahead.0.saturating_abs()));
            let (is, set) = if ahead.0 > 0 { ("快", "拨回") } else { ("慢", "拨快") };
            format!("按两者共有的包来看，它的时钟比 {of} {is} {by}，已相应{set}")
        }
        NoteKind::Comments { count: n } => format!("文件中有 {} 条注释", count(*n)),
        NoteKind::UnknownBlocks { count: n, first } => {
            let n = count(*n);
            format!("跳过了 {n} 个类型未知的块，第一个是 {first:#010x}")
        }
        NoteKind::Secrets { count: n } => format!("忽略了 {} 个解密密钥块", count(*n)),
        NoteKind::GivenTwice => "指定了不止一次，只读取一次".to_owned(),
        NoteKind::NotCaptures { count: n, example } => {
            let n = count(*n);
            format!("跳过了 {n} 个不是抓包的文件，例如 {example}")
        }
    }
}

/// What stopped the reading, as a part of a sentence.
pub(crate) fn damage(damage: &Damage) -> String {
    match damage {
        Damage::Cut { wanted, found } => {
            format!("文件不完整：一条 {wanted} 字节的记录只有 {found} 字节")
        }
        Damage::Unreadable(reason) => format!("读取失败（{reason}）"),
        Damage::CompressedCut { kind } => format!("{kind} 压缩流不完整"),
        Damage::CompressedCorrupt { kind, reason } => format!("{kind} 压缩流已损坏（{reason}）"),
        Damage::WindowTooLarge { bits, limit } => {
            let (limit, unpack) = (buffer(*limit), unpack(*bits));
            format!("zstd 窗口超过可以读取的 {limit}（可以试试 `{unpack}`）")
        }
        Damage::TooLong { claimed, limit } => {
            format!("一条记录声称有 {claimed} 字节，超过可能的 {limit} 字节")
        }
        Damage::Malformed(what) => format!("格式错误（{what}）"),
    }
}
