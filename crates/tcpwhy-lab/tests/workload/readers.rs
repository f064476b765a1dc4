//! Readers keep their rate and their stops.

use crate::place::{Ran, run};
use tcpwhy_core::units::Nanos;
use tcpwhy_lab::spec::{Flow, Pace, Sending};
use tcpwhy_lab::workload::Ended;

fn read_with(name: &str, bytes: u64, reader: Pace) -> Option<Ran> {
    let sending = Sending { bytes, reader, ..Sending::default() };
    run(name, vec![Flow { phases: vec![sending], ..Flow::default() }])
}

#[test]
fn a_reader_with_a_rate_is_never_ahead_of_it() {
    let reader = Pace::Rate { bytes_per_second: 200_000, chunk: 1_000 };
    let Some(ran) = read_with("rate", 60_000, reader) else { return };
    assert_eq!(ran.flow().ended, Ended::Complete);
    let reads = ran.lines("client", "read");
    let mut total = 0;
    for read in &reads {
        assert!(read.bytes <= 1_000);
        total += read.bytes;
        // 50 us: the log's time of the first read is a little before the reader's own.
        let since = (read.t_ns - reads[0].t_ns + 50_000) as f64 / 1e9;
        assert!(total as f64 <= 200_000.0 * since + 1_000.0, "{total} bytes after {since} s");
    }
    assert_eq!(total, 60_000);
}

#[test]
fn a_reader_that_stops_reads_nothing_until_it_goes_on() {
    let (stop, resume) = (Nanos::from_millis(50), Nanos::from_millis(400));
    let reader = Pace::Stops(vec![(stop, Some(resume))]);
    // At 1 MB every 10 ms at most, some of it is still to come when the stop begins.
    let think = Nanos::from_millis(10);
    let sending =
        Sending { bytes: 20_000_000, write: 1_000_000, think, reader, ..Sending::default() };
    let Some(ran) = run("stops", vec![Flow { phases: vec![sending], ..Flow::default() }]) else {
        return;
    };
    assert_eq!(ran.flow().ended, Ended::Complete);
    let reads = ran.lines("client", "read");
    let times: Vec<i64> = reads.iter().map(|read| read.t_ns - reads[0].t_ns).collect();
    assert_eq!(reads.iter().map(|read| read.bytes).sum::<u64>(), 20_000_000);
    // A read that began just before the stop may return within it; the reader's own pause is exact.
    let pause = times.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap();
    assert!(pause >= 250_000_000, "the longest pause was {pause} ns");
    let inside = times.iter().filter(|t| (150_000_000..399_000_000).contains(*t)).count();
    assert_eq!(inside, 0, "reads inside the stop");
    assert!(times.iter().any(|t| *t >= 399_000_000));
}
