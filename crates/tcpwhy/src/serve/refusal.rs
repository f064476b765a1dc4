//! What is not done, and why: one sentence in the visitor's language.

use crate::error::Error;
use axum::http::header::ACCEPT_LANGUAGE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use std::io;
use tcpwhy_core::advice::{Language, quantity};

/// Why a request was refused.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal {
    #[error("there is nothing at this address")]
    Nowhere,
    #[error("too many uploads at once: try again when one has ended")]
    Uploads,
    #[error("too many analyses are waiting: try again when some have ended")]
    Analyses,
    #[error("too many stretches are being read: try again")]
    Stretches,
    #[error("larger than an upload may be ({}): choose another limit with --max-upload", quantity::data(*.0))]
    Large(u64),
    #[error("{0}")]
    NotCapture(tcpwhy_capture::Error),
    /// Before its first packet.
    #[error("{0}")]
    Damaged(tcpwhy_capture::Note),
    #[error("{0}: holds no packets")]
    NoPackets(String),
    #[error("the upload broke off")]
    BrokeOff,
    #[error("the upload was too slow: less than 4 kB a second")]
    Slow,
    #[error("cannot be stored: {0}")]
    Store(#[from] io::Error),
    #[error("the capture has changed: load the page again")]
    Changed,
    #[error(transparent)]
    Failed(Error),
}

impl Refusal {
    /// The answer to whoever asked with `headers`.
    pub(super) fn answer(&self, headers: &HeaderMap) -> Response {
        let text = match language(headers) {
            Language::En => self.to_string(),
            Language::Zh => self.in_chinese(),
        };
        (self.status(), format!("{text}\n")).into_response()
    }

    fn status(&self) -> StatusCode {
        match self {
            Self::Uploads | Self::Analyses | Self::Stretches => StatusCode::SERVICE_UNAVAILABLE,
            Self::Large(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::NotCapture(_) | Self::Damaged(_) | Self::NoPackets(_) => {
                StatusCode::UNSUPPORTED_MEDIA_TYPE
            }
            Self::BrokeOff => StatusCode::BAD_REQUEST,
            Self::Slow => StatusCode::REQUEST_TIMEOUT,
            Self::Nowhere | Self::Changed => StatusCode::NOT_FOUND,
            Self::Store(_) | Self::Failed(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    fn in_chinese(&self) -> String {
        match self {
            Self::Nowhere => "这个地址没有内容".to_owned(),
            Self::Uploads => "同时上传的文件太多：请等其中一个结束后再试".to_owned(),
            Self::Analyses => "等待的分析太多：请等其中一些结束后再试".to_owned(),
            Self::Stretches => "正在读取的时间段太多：请再试一次".to_owned(),
            Self::Large(most) => {
                format!("超过上传上限（{}）：可用 --max-upload 另设上限", quantity::data(*most))
            }
            Self::NotCapture(e) => e.text(Language::Zh),
            Self::Damaged(note) => note.text(Language::Zh),
            Self::NoPackets(file) => format!("{file}：其中没有数据包"),
            Self::BrokeOff => "上传中断".to_owned(),
            Self::Slow => "上传太慢：每秒不到 4 kB".to_owned(),
            Self::Store(e) => format!("无法保存：{e}"),
            Self::Changed => "抓包已改变：请重新加载页面".to_owned(),
            Self::Failed(e) => e.text(Language::Zh),
        }
    }
}

/// The language that a visitor's browser asks for first.
pub(super) fn language(headers: &HeaderMap) -> Language {
    let asked = headers.get(ACCEPT_LANGUAGE).and_then(|v| v.to_str().ok());
    Language::of_locale(asked.and_then(|a| a.split([',', ';']).next()).unwrap_or_default().trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn visitors_are_told_in_the_language_that_they_ask_for_first() {
        let mut headers = HeaderMap::new();
        assert_eq!(language(&headers), Language::En);
        for (asked, told) in [
            ("zh", Language::Zh),
            ("zh-CN,zh;q=0.9,en;q=0.8", Language::Zh),
            ("en-US,en;q=0.9,zh;q=0.8", Language::En),
            (";", Language::En),
        ] {
            headers.insert(ACCEPT_LANGUAGE, HeaderValue::from_static(asked));
            assert_eq!(language(&headers), told, "{asked}");
        }
    }
}
