//! Errors in Simplified Chinese (简体中文). What the system said stays as it is: people search for it.

use super::Error;
use tcpwhy_core::advice::Language;
use tcpwhy_report::chart;

/// An error as one sentence.
pub(super) fn error(error: &Error) -> String {
    match error {
        Error::Capture(e) => e.text(Language::Zh),
        Error::LinkType { files, links } => {
            format!("{files}：无法读取链路类型 {links}，其中没有其他类型的包；请在有 IP 的地方抓包")
        }
        Error::Write(e) => format!("无法写出结果：{e}"),
        Error::Exists(path) => format!("{path} 已存在：请换个名字，或用 --force 覆盖"),
        Error::Page(path, e) => format!("无法写入 {path}：{e}"),
        Error::Temporary(path, e) => {
            format!("无法在 {path} 中新建文件夹：{e}；可用 TMPDIR 换一个位置")
        }
        Error::Samples(path, e) => format!("无法读取 {path}：{e}"),
        Error::Chart(e) => chart(e),
        Error::Folder(path, e) => format!("无法提供 {path}：{e}"),
        Error::Listen(address, e) => {
            format!(
                "无法在 {address} 上监听：{e}；可用 --listen 换一个地址（端口 0 表示任意空闲端口）"
            )
        }
        Error::Wait(e) => format!("无法等待连接和信号：{e}"),
        Error::Random(e) => format!("系统没有给出随机数：{e}"),
        Error::NoConnection(file) => format!("{file}：其中没有 TCP 连接"),
        Error::BrokeOff => "分析中断：请报告此抓包".to_owned(),
        Error::Report(refusal) => refusal.in_chinese(),
        Error::Thread(e) => format!("无法启动读取线程：{e}"),
        #[cfg(target_os = "linux")]
        Error::Scenario(e) => e.to_string(),
        Error::Usage(text) | Error::Lab(text) | Error::Live(text) | Error::Record(text) => {
            text.clone()
        }
    }
}

fn chart(error: &chart::Error) -> String {
    match error {
        chart::Error::NoSamples(id) => format!(
            "连接 {id} 没有套接字采样：这种图需要案例文件夹，例如 tcpwhy lab run -o CASE 生成的"
        ),
        chart::Error::TooMany(packets, most) => format!(
            "{packets} 个包太多，无法画成箭头（最多 {most} 个）：请用 --since 和 --until 选择一段时间"
        ),
        chart::Error::NoPackets(id) => format!("这段时间内没有连接 {id} 的包"),
        chart::Error::NoFont => "没有安装可用于 PNG 文字的字体：请安装一种，或写成 SVG".to_owned(),
        chart::Error::NoGlyph(letter) => format!(
            "已安装的字体都没有字符 {letter}，PNG 中会出现空框：请安装字体（Debian：fonts-noto-cjk）、写成 SVG，或使用 --lang en"
        ),
        chart::Error::Draw(why) => format!("无法绘制图表：{why}"),
    }
}
