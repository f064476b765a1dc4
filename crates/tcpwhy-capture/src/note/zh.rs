//! The notes in Simplified Chinese (简体中文). What the system or a decompressor said, and the details of a
//! malformed block, stay as they are: people search for them.

use super::{Damage, Note, NoteKind};
use tcpwhy_core::advice::quantity::span;

/// A note as one sentence.
pub(super) fn note(note: &Note) -> String {
    match &note.kind {
        NoteKind::NotRead(sentence) => format!("没有读取：{sentence}"),
        kind => format!("{}：{}", note.file, self::kind(kind)),
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
        NoteKind::Empty => "文件是空的（0 字节）".to_owned(),
        NoteKind::NoPackets => "抓包里没有任何包".to_owned(),
        NoteKind::Drops { interface, received, by_interface, by_system } => {
            let received = received.map(|n| format!("，共收到 {n} 个")).unwrap_or_default();
            format!(
                "接口 {interface} 抓包时漏掉了包：接口丢弃 {by_interface} 个，系统丢弃 {by_system} 个{received}"
            )
        }
        NoteKind::TimeBackwards { count, most } => {
            format!("{count} 个包的时间戳早于前一个包，最多早 {}", span(*most))
        }
        NoteKind::InvalidTimes { count } => {
            format!("{count} 个时间戳的小数部分超过一秒，已照加")
        }
        NoteKind::NoTimes { count } => {
            format!("{count} 个包没有时间戳，已采用前一个包的时间")
        }
        NoteKind::Comments { count } => format!("文件中有 {count} 条注释"),
        NoteKind::UnknownBlocks { count, first } => {
            format!("跳过了 {count} 个类型未知的块，第一个是 {first:#010x}")
        }
        NoteKind::Secrets { count } => format!("忽略了 {count} 个解密密钥块"),
        NoteKind::GivenTwice => "指定了不止一次，只读取一次".to_owned(),
        NoteKind::NotCaptures { count, example } => {
            format!("跳过了 {count} 个不是抓包的文件，例如 {example}")
        }
    }
}

/// What stopped the reading, as a part of a sentence.
pub(super) fn damage(damage: &Damage) -> String {
    match damage {
        Damage::Cut { wanted, found } => {
            format!("文件不完整：一条 {wanted} 字节的记录只有 {found} 字节")
        }
        Damage::Unreadable(reason) => format!("读取失败（{reason}）"),
        Damage::CompressedCut { kind } => format!("{kind} 压缩流不完整"),
        Damage::CompressedCorrupt { kind, reason } => format!("{kind} 压缩流已损坏（{reason}）"),
        Damage::TooLong { claimed, limit } => {
            format!("一条记录声称有 {claimed} 字节，超过可能的 {limit} 字节")
        }
        Damage::Malformed(what) => format!("格式错误（{what}）"),
    }
}
