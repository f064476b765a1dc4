//! How long a full sample of many established sockets takes, beside `ss -tinmH` in the same run: `sockets [COUNT]`. Linux.
//!
//! The sockets are made in a network namespace of their own, where no others are; both ends are in it.
#![allow(clippy::print_stdout)]

#[cfg(target_os = "linux")]
mod hold;
#[cfg(target_os = "linux")]
mod measure;

#[cfg(target_os = "linux")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    use std::process::Command;

    let count = std::env::args().nth(1).map_or(Ok(10_000), |text| text.parse::<usize>())?;
    match std::env::var(hold::INSIDE).as_deref() {
        Ok("hold") => hold::hold(count),
        Ok(_) => {
            measure::run(Command::new("ip").args(["link", "set", "lo", "up"]))?;
            let holders = hold::start(count)?;
            let measured = measure::measure();
            holders.into_iter().try_for_each(|mut holder| holder.kill())?;
            measured
        }
        Err(_) => {
            let mut inside = Command::new("unshare");
            // Root stays root of the machine: in a user namespace of its own it would have no BPF.
            let alone = if rustix::process::geteuid().is_root() { "-n" } else { "-rn" };
            inside.args([alone, "--"]).arg(std::env::current_exe()?);
            measure::run(inside.arg(count.to_string()).env(hold::INSIDE, "measure"))
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("skipped: sockets are sampled on Linux only");
}
