//! The scenario file, key by key. `docs/scenario.md` tells it to people; unknown keys are refused.

mod host;
mod link;
mod work;

pub(super) use host::{Host, When};
pub(super) use link::{Aqm, Backend, Link, Middlebox, Offload, Swallowed, Way};
pub(super) use work::{Cross, Flow, Mariadb, Phase, Program, Relay, Socket};

use super::quantity::Rate;
use crate::spec::Role;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A whole file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct File {
    pub(in crate::scenario) title: String,
    pub(in crate::scenario) case: Option<String>,
    pub(in crate::scenario) published: Option<String>,
    #[serde(default)]
    pub(in crate::scenario) link: Link,
    #[serde(default)]
    pub(in crate::scenario) client: Host,
    #[serde(default)]
    pub(in crate::scenario) server: Host,
    #[serde(default)]
    pub(in crate::scenario) flow: Flow,
    #[serde(default)]
    pub(in crate::scenario) phase: Vec<Phase>,
    pub(in crate::scenario) relay: Option<Relay>,
    #[serde(default)]
    pub(in crate::scenario) cross: Vec<Cross>,
    #[serde(default)]
    pub(in crate::scenario) program: Vec<Program>,
    pub(in crate::scenario) mariadb: Option<Mariadb>,
    #[serde(default)]
    pub(in crate::scenario) expect: Vec<Expect>,
    /// Assignments of `--full`; taken out before.
    #[serde(default, rename = "full")]
    pub(in crate::scenario) _full: BTreeMap<String, toml::Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::scenario) enum Side {
    Client,
    Server,
}

impl From<Side> for Role {
    fn from(side: Side) -> Self {
        match side {
            Side::Client => Self::Client,
            Side::Server => Self::Server,
        }
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Expect {
    pub(in crate::scenario) from: Side,
    pub(in crate::scenario) port: Option<u16>,
    pub(in crate::scenario) limit: OneOrMore,
    pub(in crate::scenario) cause: Option<OneOrMore>,
    pub(in crate::scenario) rate: Option<(Rate, Rate)>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(in crate::scenario) enum OneOrMore {
    One(String),
    More(Vec<String>),
}
