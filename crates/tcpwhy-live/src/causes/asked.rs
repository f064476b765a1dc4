//! One call of setsockopt(2).

/// An option that decides over a buffer or a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SocketOption {
    /// SO_SNDBUF.
    SendBuffer,
    /// SO_RCVBUF.
    ReceiveBuffer,
    /// SO_SNDBUFFORCE, which `wmem_max` does not clamp.
    SendBufferForce,
    /// SO_RCVBUFFORCE.
    ReceiveBufferForce,
    /// SO_BUF_LOCK.
    BufferLock,
    /// TCP_WINDOW_CLAMP.
    WindowClamp,
    /// TCP_NOTSENT_LOWAT.
    NotSentLowWater,
}

impl SocketOption {
    #[cfg(feature = "bpf")]
    pub(super) fn new(level: i32, option: i32) -> Option<Self> {
        Some(match (level, option) {
            (libc::SOL_SOCKET, libc::SO_SNDBUF) => Self::SendBuffer,
            (libc::SOL_SOCKET, libc::SO_RCVBUF) => Self::ReceiveBuffer,
            (libc::SOL_SOCKET, libc::SO_SNDBUFFORCE) => Self::SendBufferForce,
            (libc::SOL_SOCKET, libc::SO_RCVBUFFORCE) => Self::ReceiveBufferForce,
            (libc::SOL_SOCKET, 72) => Self::BufferLock,
            (libc::IPPROTO_TCP, libc::TCP_WINDOW_CLAMP) => Self::WindowClamp,
            (libc::IPPROTO_TCP, libc::TCP_NOTSENT_LOWAT) => Self::NotSentLowWater,
            _ => return None,
        })
    }

    /// As in setsockopt(2).
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::SendBuffer => "SO_SNDBUF",
            Self::ReceiveBuffer => "SO_RCVBUF",
            Self::SendBufferForce => "SO_SNDBUFFORCE",
            Self::ReceiveBufferForce => "SO_RCVBUFFORCE",
            Self::BufferLock => "SO_BUF_LOCK",
            Self::WindowClamp => "TCP_WINDOW_CLAMP",
            Self::NotSentLowWater => "TCP_NOTSENT_LOWAT",
        }
    }
}

/// What an application asked for. Whether the kernel did it, the socket's state shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// When, nanoseconds of `CLOCK_MONOTONIC`.
    pub t_ns: u64,
    /// Which option.
    pub option: SocketOption,
    /// The value; `None` where it could not be read.
    pub value: Option<i32>,
    /// The process that called.
    pub process: u32,
    /// Its thread.
    pub thread: u32,
    /// The thread's name, as the process says: not to be trusted.
    pub command: String,
    /// Return addresses, the innermost first; short or wrong where the program keeps no frame pointers.
    pub frames: Vec<u64>,
    /// The call was made on the listening socket, from which this one inherits.
    pub inherited: bool,
}
