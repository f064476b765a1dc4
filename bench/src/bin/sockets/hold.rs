//! Programs that hold established sockets.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::io::Read;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Set for the programs that run in the namespace: `measure`, or `hold` for those that only hold sockets.
pub(crate) const INSIDE: &str = "TCPWHY_BENCH_INSIDE";
/// Sockets of one process: fewer than the usual limit of descriptors.
const PER_PROCESS: usize = 10_000;

/// Starts programs that hold `count` sockets together, and waits until they have them.
pub(crate) fn start(count: usize) -> Result<Vec<Child>> {
    let mut holders = Vec::new();
    for first in (0..count).step_by(PER_PROCESS) {
        let mut holder = Command::new(std::env::current_exe()?)
            .arg(PER_PROCESS.min(count - first).to_string())
            .env(INSIDE, "hold")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let ready = holder.stdout.as_mut().map(|out| out.read(&mut [0]));
        holders.push(holder);
        if !matches!(ready, Some(Ok(1))) {
            return Err("a program could not make its sockets".into());
        }
    }
    Ok(holders)
}

/// Makes sockets, both ends of half as many connections, and holds them until standard input ends.
pub(crate) fn hold(count: usize) -> Result<()> {
    let most = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: most, maximum: most })?;
    // Each process has an address of its own, and with it all ports.
    let [.., high, low] = std::process::id().to_be_bytes();
    let listener = TcpListener::bind((Ipv4Addr::new(127, 1, high, low), 0))?;
    let mut held = Vec::with_capacity(count);
    for _ in 0..count / 2 {
        held.push(TcpStream::connect(listener.local_addr()?)?);
        held.push(listener.accept()?.0);
    }
    println!("ready");
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}
