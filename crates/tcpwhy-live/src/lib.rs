//! What the running kernel knows of its TCP sockets.
#![cfg(target_os = "linux")]
