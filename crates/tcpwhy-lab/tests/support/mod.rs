//! Two network namespaces with a device each, for tests and measurements of the link alone.

use std::fs::File;
use std::process::Command;

use nix::sched::{CloneFlags, setns, unshare};
use tcpwhy_lab::link::{self, HostDevice, TX_QUEUE_LEN};
use tcpwhy_lab::spec::LinkSpec;

pub(crate) const CLIENT: &str = "10.77.0.1";
pub(crate) const SERVER: &str = "10.77.0.2";

/// A namespace and the device in it; both vanish with this value.
pub(crate) struct Host {
    namespace: File,
    pub(crate) device: HostDevice,
}

impl Host {
    /// `Err` says why the machine cannot do it.
    pub(crate) fn new(address: &'static str, spec: &LinkSpec) -> Result<Self, String> {
        let spec = spec.clone();
        std::thread::spawn(move || {
            unshare(CloneFlags::CLONE_NEWNET).map_err(|e| format!("no network namespace: {e}"))?;
            let namespace = File::open("/proc/thread-self/ns/net").map_err(|e| e.to_string())?;
            let device = link::open("lab0", &spec).map_err(|e| e.to_string())?;
            ip(&["link", "set", "lo", "up"])?;
            let queue = TX_QUEUE_LEN.to_string();
            ip(&["link", "set", "lab0", "up", "mtu", "1500", "txqueuelen", &queue])?;
            ip(&["addr", "add", &format!("{address}/24"), "dev", "lab0"])?;
            for (name, value) in [
                ("tcp_rmem", "4096 131072 33554432"),
                ("tcp_wmem", "4096 65536 33554432"),
                ("tcp_congestion_control", "reno"),
            ] {
                let path = format!("/proc/sys/net/ipv4/{name}");
                std::fs::write(&path, value).map_err(|e| format!("{path}: {e}"))?;
            }
            Ok(Self { namespace, device })
        })
        .join()
        .unwrap()
    }

    /// Runs something in the namespace.
    pub(crate) fn enter<T: Send + 'static>(
        &self,
        run: impl FnOnce() -> T + Send + 'static,
    ) -> std::thread::JoinHandle<T> {
        let namespace = self.namespace.try_clone().unwrap();
        std::thread::spawn(move || {
            setns(namespace, CloneFlags::CLONE_NEWNET).unwrap();
            run()
        })
    }
}

fn ip(arguments: &[&str]) -> Result<(), String> {
    let output = Command::new("ip").args(arguments).output().map_err(|e| format!("ip: {e}"))?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    output.status.success().then_some(()).ok_or(format!("ip {arguments:?}: {said}"))
}
