//! Real programs in a host: in order, waited for, and gone at the end.

use crate::place::run_workload;
use std::time::Instant;
use tcpwhy_core::units::Nanos;
use tcpwhy_lab::spec::{Front, Program, Relay, Role, SocketOptions, Workload};
use tcpwhy_lab::workload::{Error, mariadb};

fn program(on: Role, command: &[&str]) -> Program {
    let command = command.iter().map(|word| (*word).to_owned()).collect();
    Program { on, command, give_up: Nanos::from_secs(20), ..Program::default() }
}

fn relay(rcvbuf: Option<u64>) -> Relay {
    let front = SocketOptions { rcvbuf, sndbuf: Some(16_384), ..SocketOptions::default() };
    Relay { on: Role::Server, front, back: SocketOptions::default(), shards: 1 }
}

#[test]
fn a_missing_program_is_one_clear_sentence() {
    let programs = vec![program(Role::Client, &["no-such-program"])];
    let Some(ran) = run_workload("missing", &Workload::Programs(programs)) else { return };
    let error = ran.outcome.as_ref().unwrap_err();
    assert!(matches!(error, Error::Missing { .. }));
    let words = "skipped: no-such-program is not installed (apt-get install no-such-program)";
    assert_eq!(error.to_string(), words);
    let programs = vec![program(Role::Client, &["/no/such-program"])];
    let Some(ran) = run_workload("missing", &Workload::Programs(programs)) else { return };
    // No package is called like a path.
    let error = ran.outcome.as_ref().unwrap_err();
    assert_eq!(error.to_string(), "skipped: /no/such-program is not there");
}

#[test]
fn exit_code_output_and_input_are_kept() {
    let steps = vec![
        Program { prepare: true, ..program(Role::Server, &["sh", "-c", "echo 7 > {dir}/n"]) },
        Program {
            stdin: Some("hello".to_owned()),
            ..program(Role::Client, &["sh", "-c", "cat; echo {server}; exit $(cat {dir}/n)"])
        },
    ];
    let Some(ran) = run_workload("exit", &Workload::Programs(steps)) else { return };
    let programs = &ran.outcome.as_ref().unwrap().programs;
    assert_eq!(programs.iter().map(|p| p.exit_code).collect::<Vec<_>>(), [Some(0), Some(7)]);
    let output = std::fs::read_to_string(&programs[1].output).unwrap();
    assert_eq!(output, "hello127.0.0.2\n");
    assert!(programs[0].end_ns <= programs[1].start_ns);
}

#[test]
fn a_failed_preparation_ends_the_run() {
    let step = Program { prepare: true, ..program(Role::Server, &["sh", "-c", "exit 3"]) };
    let Some(ran) = run_workload("prepare", &Workload::Programs(vec![step])) else { return };
    let error = ran.outcome.as_ref().unwrap_err().to_string();
    assert!(error.contains("sh ended with exit code 3"), "{error}");
}

#[test]
fn what_takes_too_long_is_killed_with_its_children() {
    let give_up = Nanos::from_millis(300);
    // The child holds the output open: were it left alive, the run would wait for it.
    let step =
        Program { give_up, ..program(Role::Client, &["sh", "-c", "sleep 1000 & sleep 1000"]) };
    let begun = Instant::now();
    let Some(ran) = run_workload("long", &Workload::Programs(vec![step])) else { return };
    let programs = &ran.outcome.as_ref().unwrap().programs;
    assert!(programs[0].stopped && programs[0].exit_code.is_none());
    assert!(begun.elapsed().as_secs() < 10);
}

#[test]
fn a_real_server_behind_a_relay_answers_a_real_client() {
    let serve =
        ["python3", "-m", "http.server", "--bind", "127.0.0.1", "--directory", "{dir}", "{port}"];
    let make = ["sh", "-c", "head -c 300000 /dev/zero > {dir}/file"];
    let fetch =
        ["curl", "-sS", "-o", "/dev/null", "-w", "%{size_download}", "http://{server}:{port}/file"];
    let steps = vec![
        Program { prepare: true, ..program(Role::Server, &make) },
        Program {
            serves: Some(8000),
            front: Some(Front { port: 8001, relay: relay(None) }),
            ..program(Role::Server, &serve)
        },
        program(Role::Client, &fetch),
    ];
    let Some(ran) = run_workload("http", &Workload::Programs(steps)) else { return };
    let programs = match &ran.outcome {
        Ok(outcome) => &outcome.programs,
        Err(missing @ Error::Missing { .. }) => return println!("{missing}"),
        Err(error) => panic!("{error}"),
    };
    assert_eq!(std::fs::read_to_string(&programs[2].output).unwrap(), "300000");
    assert!(programs[1].stopped);
    let wrote = ran.lines("server", "wrote");
    let front: u64 = wrote.iter().filter(|l| l.local == "127.0.0.2:8001").map(|l| l.bytes).sum();
    assert!(front >= 300_000, "the relay's own account");
}

#[test]
fn mariadb_answers_a_query_and_takes_a_batch_through_the_relay() {
    for (name, programs) in [
        ("query", mariadb::query(3_000_000, relay(None))),
        ("insert", mariadb::insert(5_532, 376_000, relay(Some(8_192)))),
    ] {
        let Some(ran) = run_workload(name, &Workload::Programs(programs)) else { return };
        let programs = match &ran.outcome {
            Ok(outcome) => &outcome.programs,
            Err(missing @ Error::Missing { .. }) => return println!("{missing}"),
            Err(error) => panic!("{error}"),
        };
        let client = programs.last().unwrap();
        println!("{name}: {:.3} s, {} bytes", client.took().secs(), client.output_bytes);
        assert_eq!(client.exit_code, Some(0));
        let carried = if name == "query" { "wrote" } else { "read" };
        let lines = ran.lines("server", carried);
        let front = lines.iter().filter(|line| line.local == "127.0.0.2:3307");
        let least = if name == "query" { 3_000_000 } else { 376_000 };
        assert!(front.map(|line| line.bytes).sum::<u64>() >= least);
    }
}
