//! `[client]` and `[server]`.

use super::super::quantity::{Bytes, Rate, Setting, Span};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A host and its socket.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Host {
    #[serde(default)]
    pub(in crate::scenario) sysctl: BTreeMap<String, Setting>,
    pub(in crate::scenario) congestion: Option<String>,
    pub(in crate::scenario) initcwnd: Option<u32>,
    pub(in crate::scenario) initrwnd: Option<u32>,
    pub(in crate::scenario) mtu: Option<u32>,
    pub(in crate::scenario) gso_max_segs: Option<u32>,
    pub(in crate::scenario) sndbuf: Option<Bytes>,
    pub(in crate::scenario) rcvbuf: Option<Bytes>,
    pub(in crate::scenario) window_clamp: Option<Bytes>,
    pub(in crate::scenario) set: Option<When>,
    #[serde(default)]
    pub(in crate::scenario) nodelay: bool,
    pub(in crate::scenario) notsent_lowat: Option<Bytes>,
    pub(in crate::scenario) maxseg: Option<Bytes>,
    pub(in crate::scenario) pacing: Option<Rate>,
    pub(in crate::scenario) keepalive: Option<Span>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::scenario) enum When {
    Before,
    After,
}
