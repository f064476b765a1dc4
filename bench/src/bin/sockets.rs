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
    use std::io::Read;
    use std::net::{Ipv4Addr, TcpListener, TcpStream};
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};
    use tcpwhy_live::sample::Dump;
    use tcpwhy_live::watch::Watch;

    type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

    /// Set for the programs that run in the namespace: `measure`, or `hold` for those that only hold sockets.
    const INSIDE: &str = "TCPWHY_BENCH_INSIDE";
    /// Sockets of one process: fewer than the usual limit of descriptors.
    const PER_PROCESS: usize = 10_000;
    /// Runs of each.
    const RUNS: usize = 15;

    pub(super) fn main() -> Result<()> {
        let count = std::env::args().nth(1).map_or(Ok(10_000), |text| text.parse::<usize>())?;
        match std::env::var(INSIDE).as_deref() {
            Ok("hold") => hold(count),
            Ok(_) => {
                run(Command::new("ip").args(["link", "set", "lo", "up"]))?;
                let holders = holders(count)?;
                let measured = measure();
                holders.into_iter().try_for_each(|mut holder| holder.kill())?;
                measured
            }
            Err(_) => {
                let mut inside = Command::new("unshare");
                inside.args(["-rn", "--"]).arg(std::env::current_exe()?);
                run(inside.arg(count.to_string()).env(INSIDE, "measure"))
            }
        }
    }

    /// Starts programs that hold `count` sockets together, and waits until they have them.
    fn holders(count: usize) -> Result<Vec<Child>> {
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
    fn hold(count: usize) -> Result<()> {
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
