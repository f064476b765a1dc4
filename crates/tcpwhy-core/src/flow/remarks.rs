//! What the peer says while data is under way: grants of a channel's window (RFC 4254 section 5.2, RFC 9113 section 6.9) and acknowledgments of messages.
//! The last of them comes when all has arrived, like a request, and nobody waited for it.

/// The lengths of the peer's messages.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Remarks {
    /// Bytes of the last one that came while more was under way.
    midway: u32,
    /// Bytes of the last one.
    last: u32,
}

impl Remarks {
    /// The peer says so many bytes. `under_way`: it had not received all that was sent to it.
    pub(crate) fn spoke(&mut self, len: u32, under_way: bool) {
        self.last = len;
        if under_way {
            self.midway = len;
        }
    }

    /// What it said last is what it says while data is under way.
    pub(crate) fn is_one(&self) -> bool {
        self.midway > 0 && self.last == self.midway
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remark_is_as_long_as_those_before_the_end_and_a_request_is_not() {
        let mut remarks = Remarks::default();
        assert!(!remarks.is_one());
        remarks.spoke(500, false);
        assert!(!remarks.is_one(), "nothing was under way yet");
        remarks.spoke(36, true);
        remarks.spoke(36, false);
        assert!(remarks.is_one());
        remarks.spoke(500, false);
        assert!(!remarks.is_one());
    }
}
