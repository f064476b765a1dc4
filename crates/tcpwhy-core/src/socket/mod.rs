//! A socket's samples -> what held its sender: the rules that the lab's truth and live sockets share.
//!
//! Samples say what the sender's kernel knew at some moments: queues, windows, flight. The rules ask in the order in which the kernel
//! itself decides (`net/ipv4/tcp_output.c`, `tcp_write_xmit`), but from the state, not from the kernel's own stopwatch, which lumps
//! several limits together and misses a full send buffer (see [`Stopwatch`]).

mod account;
mod alone;
mod buffer;
mod cause;
mod history;
mod judge;
mod pieces;
mod receiver;
mod settle;
mod state;
mod stopwatch;

pub use account::{Account, is_lost};
pub use alone::connections;
pub use buffer::{Buffer, Holder};
pub use cause::cause;
pub use history::{Histories, History, Seen};
pub use judge::{is_busy, judge, round};
pub use pieces::Piece;
pub use receiver::{Receiver, receiver_cause};
pub use settle::settle;
pub use state::State;
pub use stopwatch::{Difference, Stopwatch, difference};
