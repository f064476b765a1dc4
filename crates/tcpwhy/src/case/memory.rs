//! Whether the machine's memory for TCP ran short while a case was recorded (`record.json`).

use serde_json::Value;
use tcpwhy_core::advice::{Language, quantity};
use tcpwhy_core::units::Nanos;
use tcpwhy_report::Warning;

/// A sentence on it; nothing where it did not, or nobody looked.
pub(super) fn remark(record: &Value) -> Option<Warning> {
    let number = |name: &str| record.get("memory")?.get(name)?.as_u64();
    let times = number("pressures").filter(|times| *times > 0)?;
    let ms = number("pressure_ms").unwrap_or(0).min(i64::MAX as u64 / 1_000_000);
    let long = quantity::span(Nanos::from_millis(ms as i64));
    Some(Warning::new(|language| match language {
        Language::En => format!(
            "while this was recorded, the host's memory for TCP ran short {times} times, for {long} in all: buffers and windows shrank (tcp_mem)"
        ),
        Language::Zh => {
            format!(
                "录制期间，主机的 TCP 内存不足 {times} 次，共 {long}：缓冲区和窗口因此缩小（tcp_mem）"
            )
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_ran_short_is_said() {
        let said = |text: &str| {
            let record = serde_json::from_str(text).unwrap();
            remark(&record).map(|warning| Language::ALL.map(|l| warning.text(l).to_owned()))
        };
        for nothing in ["{}", "7", r#"{"memory":{"pressures":0,"pressure_ms":9}}"#] {
            assert_eq!(said(nothing), None, "{nothing}");
        }
        for said in said(r#"{"memory":{"pressures":3,"pressure_ms":1500}}"#).unwrap() {
            assert!(
                said.contains(" 3 ") && said.contains("1.5 s") && said.contains("tcp_mem"),
                "{said}"
            );
        }
        assert!(said(r#"{"memory":{"pressures":3,"pressure_ms":18446744073709551615}}"#).is_some());
    }
}
