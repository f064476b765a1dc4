//! What the kernel says about a socket, read from its raw bytes. Pure: whoever has the bytes, live or from a file, asks here.

pub mod tcp_info;
