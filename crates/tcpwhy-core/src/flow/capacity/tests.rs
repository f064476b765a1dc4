use super::*;

#[test]
fn pauses_between_bursts_do_not_count() {
    let mut capacity = Capacity::default();
    for burst in 0..10 {
        for k in 0..10 {
            let time = Nanos::from_millis(burst * 100) + Nanos::from_micros(k * 1000);
            capacity.acknowledged(1448, time, 1448, Nanos::from_millis(10));
        }
    }
    let rate = capacity.rate().unwrap();
    assert!((1_400_000..1_500_000).contains(&rate), "{rate}");
    assert_eq!(capacity.tick(), Nanos::ZERO);
}

#[test]
fn a_sender_that_is_spread_out_showed_the_link_in_its_first_window() {
    let mut capacity = Capacity::default();
    let (burst, pause) = (Nanos::from_micros(100), Nanos::from_millis(10));
    let mut time = Nanos::ZERO;
    for k in 0..100 {
        time += if k < 10 { burst } else { Nanos::from_millis(1) };
        capacity.acknowledged(1448, time, 1448, pause);
    }
    let (first, all) =
        (capacity.of_first_window(1448, Nanos::ZERO).unwrap(), capacity.rate().unwrap());
    assert_eq!(first, 14_480_000);
    assert!((1_400_000..1_500_000).contains(&all), "{all}");
}

#[test]
fn acks_that_bunch_do_not_make_the_path_faster() {
    let mut capacity = Capacity::default();
    for k in 0..100 {
        let late = if k % 5 == 0 { 900 } else { 0 };
        let time = Nanos::from_micros(k * 1000 + late);
        capacity.acknowledged(1448, time, 1448, Nanos::from_millis(10));
    }
    let rate = capacity.rate().unwrap();
    assert!((1_400_000..1_500_000).contains(&rate), "{rate}");
}

#[test]
fn a_coarse_clock_tells_the_rate_by_what_comes_from_tick_to_tick() {
    let mut capacity = Capacity::default();
    for k in 0..400 {
        let time = Nanos::from_millis(k / 8);
        capacity.acknowledged(1448, time, 1448, Nanos::from_millis(10));
    }
    let rate = capacity.rate().unwrap();
    assert!((11_000_000..12_000_000).contains(&rate), "{rate}");
    assert_eq!(capacity.tick(), Nanos::from_millis(1));
}

#[test]
fn acks_on_the_peers_data_tell_when_that_was_written() {
    let mut capacity = Capacity::default();
    for k in 0..100 {
        let time = Nanos::from_millis(k);
        capacity.acknowledged(1448, time, 1448, Nanos::from_millis(10));
        // An answer is written, and the next ACK follows at once.
        capacity.breaks_off();
        capacity.acknowledged(1448, time + Nanos(10_000), 1448, Nanos::from_millis(10));
    }
    let rate = capacity.rate().unwrap();
    assert!((1_400_000..1_500_000).contains(&rate), "{rate}");
    assert!(capacity.first.is_over());
}

/// A hundred ACKs, spaced by so many microseconds after a first window with that spacing.
fn spaced(first: i64, then: i64) -> Capacity {
    spaced_behind(10, first, then)
}

/// As `spaced`, with a first window of so many segments, and a pause behind it if it is not a whole one.
fn spaced_behind(window: usize, first: i64, then: i64) -> Capacity {
    let mut capacity = Capacity::default();
    let mut time = Nanos::ZERO;
    for k in 0..100 {
        let paused = k == window && window < 10;
        time +=
            if paused { FAR } else { Nanos::from_micros([first, then][usize::from(k >= window)]) };
        capacity.acknowledged(1448, time, 1448, Nanos::from_millis(10));
    }
    capacity
}

/// A round trip that no host sleeps through.
const FAR: Nanos = Nanos::from_millis(20);

#[test]
fn a_few_messages_of_some_bytes_show_no_link() {
    let rate = Capacity::default().narrowest(1, FAR, 1448, false);
    assert_eq!(rate, Rate { carries: 1, known: Known::Least });
}

#[test]
fn acks_that_came_together_make_no_faster_link() {
    let all = spaced(40, 41);
    let rate = all.rate().unwrap();
    // The first window and all ACKs agree: a peak of twice as much was a host that woke up late.
    assert_eq!(all.narrowest(2 * rate, FAR, 1448, true).carries, rate);
    assert_eq!(all.narrowest(2 * rate, FAR, 1448, false).carries, 1448 * 25_000);
    // The first window says something else: far more for a whole round trip is the link's.
    let other = spaced(400, 41);
    assert_eq!(other.narrowest(2 * rate, FAR, 1448, true).carries, 2 * rate);
    // Not over a round trip that a busy host sleeps through.
    assert_eq!(other.narrowest(2 * rate, Nanos::from_millis(1), 1448, true).carries, rate);
    assert_eq!(other.narrowest(rate + rate / 4, FAR, 1448, true).carries, rate);
}

#[test]
fn acks_that_come_in_pairs_make_no_faster_link_than_the_first_window_showed() {
    let (mut capacity, mut time) = (Capacity::default(), Nanos::ZERO);
    for k in 0..60 {
        time += Nanos::from_micros(if k % 2 == 0 { 440 } else { 12 });
        capacity.acknowledged(1448, time, 1448, Nanos::from_millis(5));
    }
    let carries = |peak: u64, filled| capacity.narrowest(peak, FAR, 1448, filled).carries;
    // 226 us for a segment.
    let link = 1448 * 1_000_000 / 226;
    assert!(carries(link / 4, false).abs_diff(link) < link / 8);
    assert!(carries(2 * link, false) >= 2 * link, "a round trip carried more");
    assert!(carries(link, true).abs_diff(link) < link / 8, "all ACKs say the same");
}

#[test]
fn acks_that_bunch_show_no_link_and_bursts_that_are_spaced_evenly_do() {
    // Ten ACKs in each round: `fast` ones so many microseconds apart, the others 2.4 ms.
    let known = |fast: i64, apart: i64| {
        let mut capacity = Capacity::default();
        for round in 0..40 {
            let mut time = Nanos::from_millis(100 * round);
            for k in 0..10 {
                time += Nanos::from_micros(if k < fast { apart + 7 * (k % 3) } else { 2_400 });
                capacity.acknowledged(1448, time, 1448, Nanos::from_millis(25));
            }
        }
        capacity.narrowest(200_000, FAR, 1448, false)
    };
    // Tokens for six segments: 2.4 ms for each that follows, 1.1 ms on the mean.
    let bucket = known(6, 9);
    assert!((700_000..1_400_000).contains(&bucket.carries), "{bucket:?}");
    assert_eq!(bucket.known, Known::Least);
    // Bursts at 100 Mbit/s, with short pauses between them.
    let spaced = known(6, 110);
    assert!(spaced.carries.abs_diff(12_500_000) < 1_500_000, "{spaced:?}");
    assert_eq!(spaced.known, Known::Shown);
}

#[test]
fn a_first_window_that_came_evenly_says_it_better_than_acks_that_bunch_or_spread_later() {
    for then in [24, 46] {
        let all = spaced(40, then);
        let even = all.narrowest(1_500_000, FAR, 1448, false).carries;
        assert_eq!(even, 1448 * 25_000);
        // Unless the path was full: then all of them were spaced by it.
        assert_ne!(all.narrowest(1_500_000, FAR, 1448, true).carries, even);
    }
    // Five of nine were not late, or more than half were.
    let rate = |paces: [i64; 9]| {
        let (mut capacity, mut time) = (Capacity::default(), Nanos::ZERO);
        for us in paces.into_iter().chain([30; 90]) {
            capacity.acknowledged(1448, time, 1448, Nanos::from_millis(10));
            time += Nanos::from_micros(us);
        }
        capacity.narrowest(1_500_000, FAR, 1448, false).carries
    };
    assert_eq!(rate([20, 8, 36, 64, 17, 40, 40, 40, 40]), 1448 * 25_000);
    assert_ne!(rate([20, 8, 30, 64, 17, 40, 40, 40, 40]), 1448 * 25_000);
}

#[test]
fn a_sender_that_is_spread_out_does_not_show_the_link() {
    use Known::{Guessed, Least, Shown};
    let known = |capacity: Capacity, filled| capacity.narrowest(1_448_000, FAR, 1448, filled).known;
    // ACKs that come at the rate of the fastest round trip may be spaced by what holds the sender.
    assert_eq!(known(spaced_behind(6, 1_000, 1_000), false), Least);
    assert_eq!(known(spaced_behind(6, 100, 100), false), Shown);
    // What comes at once may have waited for a host.
    assert_eq!(known(spaced_behind(6, 10, 10), false), Guessed);
    // An even first window left at once; where the path was full a policer may have let it through.
    assert_eq!(known(spaced(1_000, 1_000), false), Shown);
    assert_eq!(known(spaced(1_000, 1_000), true), Least);
    assert_eq!(known(Capacity::default(), false), Least);
}

#[test]
fn a_path_that_was_never_filled_showed_itself_in_the_first_window() {
    let held = spaced(100, 1_000);
    assert_eq!(held.narrowest(1_500_000, FAR, 1448, false).carries, 14_480_000);
    // A policer lets a first burst through.
    assert!(held.narrowest(1_500_000, FAR, 1448, true).carries < 1_500_000);
    // The first ACK was late, and the others then gained less than a host's lateness.
    let mut late = spaced_behind(6, 37, 46);
    late.first.begin(FAR + Nanos::from_millis(1));
    assert_eq!(late.narrowest(30_000_000, FAR, 1448, false).carries, late.rate().unwrap());
    // A tenth faster over a few segments is no more than what hosts do to them.
    let same = spaced_behind(6, 37, 41);
    assert_eq!(same.narrowest(30_000_000, FAR, 1448, false).carries, same.rate().unwrap());
    assert_eq!(Capacity::default().narrowest(30, FAR, 1448, false).carries, 30);
}
