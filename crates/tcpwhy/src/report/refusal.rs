//! Why there is no page, or no picture, of what was named: a sentence in each language.

use tcpwhy_core::advice::quantity;

/// Why an input is not shown.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("a page needs two looks at the packets: write standard input to a file first")]
    StandardInput,
    #[error("{0} is a report of its own: name it alone, or with --compare beside another")]
    Alone(String),
    #[error("{0} has samples of sockets, but no packets to draw: record it with CAP_NET_RAW")]
    SamplesAlone(String),
    #[error("{0} has no packets to draw: name the capture that it was made from")]
    Drawn(String),
    #[error("--chart chooses what is drawn on its own: add --svg FILE or --png FILE")]
    NoPicture,
    #[error("there is no connection to draw")]
    Nothing,
    #[error("an analysis has no packets to choose from: use --since and --until with its capture")]
    Selected,
    #[error("{0} is an input: choose another name for what is written")]
    Input(String),
    #[error("{0} cannot be written twice: choose another name for one of the two")]
    Twice(String),
    #[error("cannot read {0}: {1}")]
    Analysis(String, Json),
}

/// What is wrong with the file of an analysis.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Json {
    #[error("{0}")]
    Unreadable(std::io::Error),
    #[error("larger than a page can show ({}): choose connections when it is made (--conn, --host, --port), or name its capture", quantity::data(*.0))]
    Large(u64),
    #[error("no JSON, or more than one object ({0})")]
    Broken(serde_json::Error),
    #[error("not a {0} object, as tcpwhy FILE --json writes it")]
    Other(&'static str),
    #[error("it has no list of connections")]
    NoList,
    #[error("entry {0} of its connections is none")]
    Entry(usize),
}

impl Refusal {
    /// The same in Simplified Chinese (简体中文).
    pub(crate) fn in_chinese(&self) -> String {
        match self {
            Self::StandardInput => "生成页面需要读两遍数据包：请先把标准输入写成文件".to_owned(),
            Self::Alone(file) => {
                format!("{file} 自成一份报告：请单独指定，或用 --compare 放在另一份旁边")
            }
            Self::SamplesAlone(folder) => {
                format!("{folder} 中有套接字采样，但没有可画的数据包：请用 CAP_NET_RAW 权限录制")
            }
            Self::Drawn(file) => format!("{file} 不含可画的数据包：请指定生成它的抓包"),
            Self::NoPicture => {
                "--chart 用来选择单独画出的图：请加上 --svg FILE 或 --png FILE".to_owned()
            }
            Self::Nothing => "没有可画的连接".to_owned(),
            Self::Selected => {
                "分析结果不含可选择的数据包：--since 和 --until 请与抓包一起使用".to_owned()
            }
            Self::Input(file) => format!("{file} 是输入文件：请为输出换个名字"),
            Self::Twice(file) => format!("{file} 不能写两次：请为其中一个换个名字"),
            Self::Analysis(file, json) => format!("无法读取 {file}：{}", json.in_chinese()),
        }
    }
}

impl Json {
    fn in_chinese(&self) -> String {
        match self {
            Self::Unreadable(e) => e.to_string(),
            Self::Large(most) => format!(
                "超过页面能显示的大小（{}）：请在生成时选择连接（--conn、--host、--port），或直接指定抓包",
                quantity::data(*most)
            ),
            Self::Broken(e) => format!("不是 JSON，或不止一个对象（{e}）"),
            Self::Other(schema) => format!("不是 tcpwhy FILE --json 写出的 {schema} 对象"),
            Self::NoList => "其中没有连接列表".to_owned(),
            Self::Entry(n) => format!("连接列表的第 {n} 项不是连接"),
        }
    }
}
