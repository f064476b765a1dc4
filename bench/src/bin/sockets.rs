//! How long a full sample of many established sockets takes, beside `ss -tinmH`: `sockets [COUNT]`. Linux.
//!
//! The sockets are made in a network namespace of their own, where no others are; both ends are in it.
#![allow(clippy::print_stdout)]

#[cfg(target_os = "linux")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    linux::main()
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("skipped: sockets are sampled on Linux only");
}

#[cfg(target_os = "linux")]
mod linux {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    use std::net::{Ipv4Addr, TcpListener, TcpStream};
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    use tcpwhy_live::sample::Dump;
    use tcpwhy_live::watch::Watch;

    type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

    /// Set for the program that runs in the namespace.
    const INSIDE: &str = "TCPWHY_BENCH_INSIDE";
    /// Connections to one address: fewer than it has ports for.
    const PER_ADDRESS: usize = 20_000;
    /// Runs of each.
    const RUNS: usize = 15;

    pub(super) fn main() -> Result<()> {
        let count = std::env::args().nth(1).map_or(Ok(10_000), |text| text.parse::<usize>())?;
        if std::env::var_os(INSIDE).is_none() {
            // Root may have more descriptors than its limit, but not from inside the namespace.
            let most = Some(2 * count as u64 + 1000);
            let _ = setrlimit(Resource::Nofile, Rlimit { current: most, maximum: most });
            let status = Command::new("unshare")
                .args(["-rn", "--"])
                .arg(std::env::current_exe()?)
                .arg(count.to_string())
                .env(INSIDE, "1")
                .status()?;
            return if status.success() { Ok(()) } else { Err("the run failed".into()) };
        }
        run(Command::new("ip").args(["link", "set", "lo", "up"]))?;
        let most = getrlimit(Resource::Nofile).maximum;
        setrlimit(Resource::Nofile, Rlimit { current: most, maximum: most })?;
        let held = sockets(count)?;
        measure()?;
        drop(held);
        Ok(())
    }

    fn measure() -> Result<()> {
        let dump = Dump::open()?;
        let found = dump.sockets()?.len();
        let ours = times(RUNS, || dump.sockets().map(drop).map_err(Into::into))?;
        let mut watch = Watch::open()?;
        watch.sample()?;
        let kept = times(RUNS, || watch.sample().map(drop).map_err(Into::into))?;
        let ss = times(RUNS, || run(Command::new("ss").arg("-tinmH").stdout(Stdio::null())))?;
        println!("{found} sockets, {RUNS} runs:   median   least");
        println!("a full sample           {:8.1} {:7.1} ms", ms(ours.median), ms(ours.least));
        println!("kept in a round as well {:8.1} {:7.1} ms", ms(kept.median), ms(kept.least));
        println!("ss -tinmH               {:8.1} {:7.1} ms", ms(ss.median), ms(ss.least));
        println!(
            "ratio                   {:8.1} {:7.1}",
            ms(ss.median) / ms(ours.median),
            ms(ss.least) / ms(ours.least)
        );
        Ok(())
    }

    /// Both ends of half as many connections.
    fn sockets(count: usize) -> Result<Vec<TcpStream>> {
        let mut held = Vec::with_capacity(count);
        let mut listener = None;
        for number in 0..count / 2 {
            if number % PER_ADDRESS == 0 {
                let address = Ipv4Addr::new(127, 0, 1, u8::try_from(number / PER_ADDRESS)?);
                listener = Some(TcpListener::bind((address, 0))?);
            }
            let Some(listener) = &listener else { continue };
            held.push(TcpStream::connect(listener.local_addr()?)?);
            held.push(listener.accept()?.0);
        }
        Ok(held)
    }

    /// Times of one thing; the least is what it takes where nothing else runs.
    struct Times {
        median: Duration,
        least: Duration,
    }

    fn times(runs: usize, mut once: impl FnMut() -> Result<()>) -> Result<Times> {
        let mut times = Vec::new();
        for _ in 0..runs {
            let began = Instant::now();
            once()?;
            times.push(began.elapsed());
        }
        times.sort_unstable();
        let at = |place: usize| times.get(place).copied().ok_or("no run");
        Ok(Times { median: at(runs / 2)?, least: at(0)? })
    }

    fn run(command: &mut Command) -> Result<()> {
        let status = command.status()?;
        if status.success() { Ok(()) } else { Err(format!("{command:?} failed").into()) }
    }

    fn ms(time: Duration) -> f64 {
        time.as_secs_f64() * 1e3
    }
}
