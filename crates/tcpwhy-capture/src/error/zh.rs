//! Errors in Simplified Chinese (简体中文). What the system said and the names of formats stay as they are: people search for them.

use super::Error;
use crate::foreign::Foreign;

/// An error as one sentence.
pub(super) fn error(error: &Error) -> String {
    match error {
        Error::NoInput => "没有指定抓包：请给出文件、目录或 -".to_owned(),
        Error::Open { file, source } => format!("{file}：无法读取（{source}）"),
        Error::Empty { file } => format!("{file}：文件是空的（0 字节）；抓包是否已写入磁盘？"),
        Error::NotCapture { file, foreign: Some(foreign), .. } => {
            format!("{file}：{}", self::foreign(*foreign))
        }
        Error::NotCapture { file, first, foreign: None } => {
            let bytes: Vec<_> = first.iter().map(|byte| format!("{byte:02x}")).collect();
            let start = bytes.join(" ");
            format!(
                "{file}：不是抓包文件（开头是 {start}）；可以读取 pcap 和 pcapng，未压缩或用 gzip、zstd 压缩"
            )
        }
        Error::Version { file, format, major, minor } => format!(
            "{file}：是 {format} {major}.{minor} 版，不支持；可以试试 `editcap -F pcapng in out`"
        ),
        Error::Header { file, damage } => {
            format!("{file}：无法读取文件开头的抓包头：{}", damage.in_chinese())
        }
        Error::NoCaptures { directory } => {
            format!("{directory}：其中没有抓包文件（不搜索子目录）")
        }
    }
}

fn foreign(foreign: Foreign) -> String {
    match foreign {
        Foreign::Capture(name) => {
            format!("是 {name} 抓包；请先转换：`editcap -F pcapng in out`")
        }
        Foreign::WindowsTrace => {
            "是 Windows 事件跟踪；请先转换：`etl2pcapng in.etl out.pcapng`".to_owned()
        }
        Foreign::Erf => "像是 Endace ERF 抓包；请先转换：`editcap -F pcapng in out`".to_owned(),
        Foreign::Compressed(name, command) => {
            let name = name
                .strip_suffix(" once more")
                .map_or_else(|| name.to_owned(), |n| format!("两层 {n}"));
            format!("用 {name} 压缩；请先解压：`{command}`")
        }
        Foreign::Archive(name) => format!("是 {name} 归档文件；请先解包"),
        Foreign::HexDump => {
            "是文本形式的十六进制转储；请先转换：`text2pcap in out.pcapng`".to_owned()
        }
        Foreign::Json => "是 JSON，不是抓包文件；需要数据包本身".to_owned(),
        Foreign::Html => "是网页，不是抓包文件；请重新下载".to_owned(),
        Foreign::GitLfsPointer => "只是 git 中大文件的指针；请先取回：`git lfs pull`".to_owned(),
        Foreign::Text => "是文本，不是抓包文件".to_owned(),
    }
}
