//! Whole hosts judged, and what must hold whatever is found on a host.

use super::*;
use crate::kernel::Version;
use crate::units::Nanos;
use proptest::prelude::*;
use std::collections::BTreeMap;

fn host(text: &str) -> Host {
    let settings = saved::settings(text).unwrap_or_default();
    Host::new("test", settings, Version::new(6, 18)).expect("a host")
}

const DEFAULTS: &str = "kernel.osrelease=6.18.1\nnet.ipv4.tcp_rmem=4096 131072 6291456\nnet.ipv4.tcp_wmem=4096 16384 4194304\n\
    net.core.rmem_max=212992\nnet.core.wmem_max=212992\nnet.ipv4.tcp_mem=190000 254000 380000\nnet.ipv4.tcp_sack=1\n\
    net.ipv4.tcp_timestamps=1\nnet.ipv4.tcp_window_scaling=1\nnet.ipv4.tcp_moderate_rcvbuf=1\nnet.ipv4.tcp_adv_win_scale=1\n\
    net.ipv4.tcp_slow_start_after_idle=1\nnet.ipv4.tcp_congestion_control=cubic";

fn with(more: &str) -> Host {
    host(&format!("{DEFAULTS}\n{more}"))
}

fn long() -> Path {
    Path { size: Some(60_000_000), ..Path::given(1_000_000_000, Nanos::from_millis(100)) }
}

fn wide() -> Path {
    Path { size: Some(15_000_000), ..Path::given(1_000_000_000, Nanos::from_millis(40)) }
}

fn short() -> Path {
    Path::given(100_000_000, Nanos::from_millis(2))
}

fn has(report: &Report, what: What) -> &Finding {
    report.findings.iter().find(|f| f.what == what).unwrap_or_else(|| panic!("{report:#?}"))
}

#[test]
fn defaults_are_enough_for_a_short_path() {
    let report = judge(with(""), vec![short()]);
    assert!(report.findings.iter().all(|f| f.weight == Weight::Note), "{:#?}", report.findings);
    let names: Vec<_> = report.leave.iter().map(|l| l.setting).collect();
    assert_eq!(names.len(), 6, "{names:?}");
}

#[test]
fn a_long_fat_pipe_needs_larger_maxima() {
    let report = judge(with(""), vec![long()]);
    for (what, least) in [(What::SendMax, 25_000_000), (What::ReceiveMax, 50_000_000)] {
        let found = has(&report, what);
        assert_eq!(found.weight, Weight::Limit);
        let value = found.sysctl().expect("a sysctl").1;
        let most: u64 = value.split(' ').next_back().expect("a value").parse().expect("a number");
        assert!(most >= least, "{value}");
        assert!(found.gain.expect("a gain").factor() > 1.5, "{found:?}");
        let cost = found.cost.expect("a cost");
        assert_eq!(cost.all, Some(380_000 * 4_096));
        assert!(cost.each > 20_000_000);
    }
}

#[test]
fn settings_that_somebody_broke_are_found_with_and_without_a_path() {
    for (setting, what) in [
        ("net.ipv4.tcp_moderate_rcvbuf=0", What::NoAutotuning),
        ("net.ipv4.tcp_window_scaling=0", What::NoWindowScaling),
        ("net.ipv4.tcp_sack=0", What::NoSack),
        ("net.ipv4.tcp_timestamps=0", What::NoTimestamps),
        ("kernel.osrelease=5.15.0\nnet.ipv4.tcp_adv_win_scale=-2", What::AdvWinScale),
    ] {
        let broken = with(setting);
        let alone = judge(broken.clone(), Vec::new());
        assert_eq!(has(&alone, what).weight, Weight::Harm, "{setting}");
        let report = judge(broken, vec![wide()]);
        let found = has(&report, what);
        assert_eq!(found.sysctl().expect("a sysctl").1, "1");
        assert!(report.leave.iter().all(|l| l.setting != found.setting));
        let modelled = !matches!(what, What::NoSack | What::NoTimestamps);
        assert_eq!(found.gain.is_some(), modelled, "{setting} {found:?}");
    }
    let new = judge(with("net.ipv4.tcp_adv_win_scale=-2"), Vec::new());
    assert!(new.findings.is_empty(), "without effect from 6.6 on: {new:?}");
}

#[test]
fn memory_is_compared_in_pages() {
    let mut tight = with("");
    tight.tcp_pages = Some(254_001);
    assert_eq!(has(&judge(tight, Vec::new()), What::MemoryPressure).weight, Weight::Limit);
    let mut bytes = with("net.ipv4.tcp_mem=4194304 8388608 16777216");
    bytes.memory = Some(16 << 30);
    assert_eq!(has(&judge(bytes, Vec::new()), What::MemoryMarks).weight, Weight::Harm);
}

#[test]
fn a_locked_socket_is_named_with_its_gain() {
    let mut locked = with("");
    locked.sockets = vec![Socket {
        local: "10.0.0.1:3306".parse().expect("an address"),
        remote: "10.0.0.9:40000".parse().expect("an address"),
        rtt: Nanos::from_millis(40),
        rate_bps: 100_000_000,
        mss: 1_448,
        sndbuf: 32_768,
        rcvbuf: 131_072,
        locks: Some(Locks { send: true, receive: false }),
        owner: Some("proxy (7)".to_owned()),
    }];
    let paths = seen(&locked);
    assert_eq!((paths.len(), paths[0].rtt_from), (1, Source::Sockets));
    let report = judge(locked, paths);
    let found = has(&report, What::SendLocked);
    assert!(found.setting.contains("proxy (7) 10.0.0.1:3306 -> 10.0.0.9:40000 SO_SNDBUF"));
    assert!(found.gain.is_some_and(|g| g.factor() > 1.5), "{found:?}");
    // Over a path that is said to carry no more than it does, nothing.
    let given = Path::given(3_000_000, Nanos::from_millis(40));
    let mut slow = report.host;
    slow.sockets[0].rate_bps = 2_900_000;
    let report = judge(slow, vec![given]);
    let gain = has(&report, What::SendLocked).gain;
    assert!(gain.is_none_or(|g| g.factor() < 1.1), "{gain:?}");
}

#[test]
fn a_route_with_small_first_windows_and_a_device_without_offload() {
    let mut path = Path::given(100_000_000, Nanos::from_millis(50));
    path.route = Some(Route {
        destination: "default".to_owned(),
        device: "eth0".to_owned(),
        initcwnd: Some(2),
        initrwnd: Some(2),
        ..Route::default()
    });
    let mut small = with("");
    small.devices = vec![Device {
        name: "eth0".to_owned(),
        mtu: Some(1_280),
        qdiscs: vec!["tbf".to_owned()],
        offloads: vec![("tso", false), ("gro", false)],
        ..Device::default()
    }];
    let report = judge(small, vec![path]);
    for what in
        [What::InitialWindow, What::Shaper, What::Offload, What::ReceiveOffload, What::SmallMtu]
    {
        has(&report, what);
    }
    assert!(has(&report, What::InitialWindow).gain.is_some());
    assert_eq!(has(&report, What::InitialReceive).sensible.as_deref(), Some("10"));
}

#[test]
fn another_congestion_control_is_priced_where_packets_get_lost() {
    let path = Path { loss: 0.001, ..wide() };
    let report = judge(with(""), vec![path]);
    assert_eq!(has(&report, What::Congestion).sensible.as_deref(), Some("bbr"));
}

#[test]
fn a_pause_costs_nothing_where_the_congestion_control_keeps_its_rate() {
    let restarts = |control: &str| {
        let report =
            judge(with(&format!("net.ipv4.tcp_congestion_control={control}")), vec![wide()]);
        report.findings.iter().any(|f| f.what == What::IdleRestart)
    };
    assert_eq!(["cubic", "reno", "bbr"].map(restarts), [true, true, false]);
}

/// Without scaling no window is larger than 64 KiB, and small maxima allow no larger one with it: neither brings much without the other.
#[test]
fn limits_that_hide_each_other_are_found_together() {
    let small = "net.ipv4.tcp_rmem=4096 32768 65536\nnet.ipv4.tcp_wmem=4096 16384 65536";
    let report = judge(with(&format!("{small}\nnet.ipv4.tcp_window_scaling=0")), vec![wide()]);
    for what in [What::NoWindowScaling, What::ReceiveMax, What::SendMax] {
        let found = has(&report, what);
        let gain = found.gain.expect("a gain");
        assert!(found.weight == Weight::Limit && gain.together && gain.factor() > 5.0, "{found:?}");
    }
    // What is advised is enough: nothing that limits is found afterwards.
    let mended: Vec<_> = report.findings.iter().filter_map(Finding::sysctl).collect();
    let mended: String = mended.iter().map(|(name, value)| format!("{name}={value}\n")).collect();
    let after = judge(with(&mended), vec![wide()]);
    assert!(after.findings.iter().all(|f| f.weight == Weight::Note), "{:#?}", after.findings);
}

/// All connections together get 1.2 MiB: no buffer beyond that is advised, and nothing promised for it.
#[test]
fn memory_that_is_less_than_a_transfer_needs_comes_first() {
    let report = judge(with("net.ipv4.tcp_mem=100 200 300"), vec![wide()]);
    let first = &report.findings[0];
    assert_eq!((first.what, first.weight), (What::MemoryLimit, Weight::Limit), "{report:#?}");
    assert!(first.gain.is_some_and(|g| g.factor() > 2.0), "{first:?}");
    let alone = judge(with("net.ipv4.tcp_mem=100 200 300"), Vec::new());
    for report in [&report, &alone] {
        assert!(report.leave.iter().all(|l| l.setting != "net.ipv4.tcp_mem"), "{report:#?}");
    }
    for found in report.findings.iter().filter(|f| f.gain.is_some()) {
        let asked = found.sensible.iter().flat_map(|v| v.split(' ')).filter_map(|v| v.parse().ok());
        assert!(asked.max().unwrap_or(0) <= 300 * 4_096_u64, "{found:?}");
    }
    assert!(judge(with(""), vec![wide()]).findings.iter().all(|f| f.what != What::MemoryLimit));
}

/// Less than a twentieth of the time is not worth a word.
#[test]
fn what_gains_next_to_nothing_is_no_finding() {
    for path in [short(), Path::given(1_000_000_000, Nanos::from_micros(500)), wide(), long()] {
        let report = judge(with(""), vec![path]);
        let least = report.findings.iter().filter_map(|f| f.gain).map(|g| g.factor());
        assert!(least.clone().all(|factor| factor >= 1.05), "{report:#?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn whatever_a_host_says_findings_are_sane(
        wmem in 4_096_u64..=2_147_483_647, rmem in 4_096_u64..=2_147_483_647, first in 1_u64..=4_096,
        max in 0_u64..=4_294_967_295, mem in 0_u64..=4_294_967_295, lowat in 0_u64..=4_294_967_295,
        bits in 0_u8..16, rate in 1_u64..=10_000_000_000, rtt in 0_i64..=1_000_000_000, minor in 0_u16..20, scale in -31_i32..=31,
    ) {
        let text = format!(
            "kernel.osrelease=6.{minor}\nnet.ipv4.tcp_wmem={first} {first} {wmem}\nnet.ipv4.tcp_rmem={first} {first} {rmem}\n\
             net.core.wmem_max={max}\nnet.core.rmem_max={max}\nnet.ipv4.tcp_mem=0 {mem} {mem}\nnet.ipv4.tcp_notsent_lowat={lowat}\n\
             net.ipv4.tcp_moderate_rcvbuf={}\nnet.ipv4.tcp_window_scaling={}\nnet.ipv4.tcp_sack={}\n\
             net.ipv4.tcp_slow_start_after_idle={}\nnet.ipv4.tcp_adv_win_scale={scale}",
            bits & 1, bits >> 1 & 1, bits >> 2 & 1, bits >> 3,
        );
        let mut path = Path::given(rate, Nanos(rtt));
        path.size = Some(100_000);
        let report = judge(host(&text), vec![path]);
        for found in &report.findings {
            prop_assert!(found.sensible.as_ref() != Some(&found.current), "{found:?}");
            prop_assert!(found.gain.is_none_or(|g| g.factor() > 1.0), "{found:?}");
            if found.what == What::SendMax {
                let most = found.sensible.as_ref().and_then(|v| v.split(' ').next_back()?.parse::<u64>().ok());
                prop_assert!(most > Some(wmem) && most <= Some(1 << 30));
            }
        }
        for leave in &report.leave {
            prop_assert!(report.findings.iter().all(|f| f.setting != leave.setting));
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "(?s).{0,400}") {
        if let Some(settings) = saved::settings(&text) {
            let _ = Host::new("test", settings, Version::new(6, 18));
        }
    }
}

#[test]
fn a_host_of_nothing_has_defaults_and_says_so() {
    let empty = Host::new("test", BTreeMap::new(), Version::new(6, 18)).expect("a host");
    assert_eq!(empty.missing.len(), 1);
    assert!(judge(empty, vec![short()]).findings.is_empty());
}
