//! Who decides over the size of a buffer.

/// A send or receive buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Buffer {
    /// `sk_sndbuf` or `sk_rcvbuf`, bytes: twice of what was asked for.
    pub bytes: u64,
    /// What keeps it there.
    pub holder: Holder,
}

/// What keeps a buffer at its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    /// `SOCK_SNDBUF_LOCK` or `SOCK_RCVBUF_LOCK`: the application set it, and autotuning is off.
    Application,
    /// Autotuning took it as far as `tcp_wmem[2]` or `tcp_rmem[2]` allows.
    SystemMost,
    /// Autotuning may still let it grow.
    NotGrownYet,
    /// The lock bits could not be read.
    NotPermitted,
}

impl Buffer {
    /// `locked`: `None` where it could not be read; `most`: `tcp_wmem[2]` or `tcp_rmem[2]`, 0 where that could not be.
    pub fn new(bytes: u64, locked: Option<bool>, most: u64) -> Self {
        let holder = match locked {
            Some(true) => Holder::Application,
            _ if most > 0 && bytes >= most => Holder::SystemMost,
            Some(false) => Holder::NotGrownYet,
            None => Holder::NotPermitted,
        };
        Self { bytes, holder }
    }
}

impl Holder {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Application => "application",
            Self::SystemMost => "system maximum",
            Self::NotGrownYet => "not grown yet",
            Self::NotPermitted => "not permitted",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_reasons_are_told_apart() {
        let holder = |bytes, locked| Buffer::new(bytes, locked, 4_194_304).holder;
        assert_eq!(holder(32_768, Some(true)), Holder::Application);
        assert_eq!(holder(4_194_304, Some(false)), Holder::SystemMost);
        assert_eq!(holder(87_040, Some(false)), Holder::NotGrownYet);
        assert_eq!(holder(87_040, None), Holder::NotPermitted);
        // The maximum was lowered since, or is not known.
        let holder = |most| Buffer::new(87_040, Some(false), most).holder;
        assert_eq!(holder(65_536), Holder::SystemMost);
        assert_eq!(holder(0), Holder::NotGrownYet);
    }
}
