//! Attaches the kernel programs of `tcpwhy live` until standard input ends, then prints what each run of each cost: for bench/events.sh.
//! `attach_causes [--stacks]`; `sysctl kernel.bpf_stats_enabled=1` lets the kernel measure.
#![allow(clippy::print_stdout)] // It is what it is for.

#[cfg(all(target_os = "linux", feature = "bpf"))]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    use std::collections::{HashMap, HashSet};
    use std::io::Read;
    use tcpwhy_live::causes::Causes;

    let known: HashSet<u32> = aya::programs::loaded_programs().flatten().map(|p| p.id()).collect();
    let mut causes = Causes::open(std::env::args().any(|arg| arg == "--stacks"))?;
    println!("attached");
    let over = std::thread::spawn(|| std::io::stdin().read_to_end(&mut Vec::new()));
    while !over.is_finished() {
        causes.drain();
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    for refused in causes.refused() {
        println!("{:24} refused: {}", refused.program, refused.why);
    }
    let ours = aya::programs::loaded_programs().flatten().filter(|p| !known.contains(&p.id()));
    let mut sums: HashMap<String, (u64, u128)> = HashMap::new();
    for program in ours {
        let name = program.name_as_str().unwrap_or_default().to_owned();
        let sum = sums.entry(name).or_default();
        sum.0 += program.run_count();
        sum.1 += program.run_time().as_nanos();
    }
    for (name, (runs, ns)) in sums {
        println!("{name:24} {runs:>10} runs {:>8} ns each", ns / u128::from(runs.max(1)));
    }
    println!("{:?}", causes.lost());
    Ok(())
}

#[cfg(not(all(target_os = "linux", feature = "bpf")))]
fn main() {}
