//! MariaDB behind a relay: a large result set (case A) and a batch INSERT (case B).

use crate::spec::{Front, Program, Relay, Role};
use std::fmt::Write;
use tcpwhy_core::units::Nanos;

/// Where the server listens, on its own host only.
const PORT: u16 = 3306;
/// Where clients reach it: the relay.
const FRONT: u16 = 3307;
/// Bytes of one row of the result.
const ROW: u64 = 1_000;

/// A query whose result is about `bytes` long.
pub fn query(bytes: u64, relay: Relay) -> Vec<Program> {
    let rows = (bytes / ROW).max(1);
    let table = format!(
        "CREATE DATABASE lab; USE lab; CREATE TABLE lab.result AS \
         SELECT REPEAT(CHAR(97 + seq % 26), {ROW}) AS line FROM seq_1_to_{rows};"
    );
    let ask = ["--batch", "--skip-column-names", "--execute=SELECT line FROM lab.result"];
    let mut programs = server(relay, table);
    programs.push(client(&ask, None));
    programs
}

/// One INSERT statement of so many rows, about `bytes` long.
pub fn insert(rows: u32, bytes: u64, relay: Relay) -> Vec<Program> {
    let table =
        "CREATE DATABASE lab; USE lab; CREATE TABLE lab.batch (id INT, line VARCHAR(20000));";
    let mut programs = server(relay, table.to_owned());
    programs.push(client(&[], Some(statement(rows, bytes))));
    programs
}

fn statement(rows: u32, bytes: u64) -> String {
    let mut text = String::from("INSERT INTO lab.batch VALUES ");
    for row in 1..=rows {
        let separator = if row == 1 { "" } else { "," };
        let due = bytes * u64::from(row) / u64::from(rows.max(1));
        let head = format!("{separator}({row},'");
        // As long as the statement is to be after this row; the quote and the parenthesis close it.
        let room = due.saturating_sub((text.len() + head.len() + 2) as u64) as usize;
        let _ = write!(text, "{head}{}')", "x".repeat(room));
    }
    text.push(';');
    text
}

/// From an empty folder to a server behind its relay, with its tables.
fn server(relay: Relay, tables: String) -> Vec<Program> {
    let install = [
        "mariadb-install-db",
        "--no-defaults",
        "--user=root",
        "--datadir={dir}/db",
        "--auth-root-authentication-method=normal",
        "--skip-test-db",
        "--innodb-log-file-size=8M",
    ];
    let serve = [
        "mariadbd",
        "--no-defaults",
        "--user=root",
        "--datadir={dir}/db",
        "--socket={dir}/socket",
        "--pid-file={dir}/pid",
        "--port={port}",
        "--bind-address=127.0.0.1",
        "--skip-name-resolve",
        "--skip-grant-tables",
        "--skip-log-bin",
        "--innodb-log-file-size=8M",
        "--innodb-flush-log-at-trx-commit=0",
        "--innodb-flush-method=nosync",
    ];
    let fill = ["mariadb", "--no-defaults", "--user=root", "--socket={dir}/socket"];
    vec![
        Program { prepare: true, ..program(Role::Server, &install) },
        Program {
            serves: Some(PORT),
            front: Some(Front { port: FRONT, relay }),
            ..program(Role::Server, &serve)
        },
        Program { prepare: true, stdin: Some(tables), ..program(Role::Server, &fill) },
    ]
}

fn client(more: &[&str], stdin: Option<String>) -> Program {
    let base = [
        "mariadb",
        "--no-defaults",
        "--user=root",
        "--protocol=tcp",
        "--host={server}",
        "--port={port}",
        "--skip-ssl",
    ];
    let command: Vec<&str> = base.iter().chain(more).copied().collect();
    Program { stdin, ..program(Role::Client, &command) }
}

fn program(on: Role, command: &[&str]) -> Program {
    Program {
        on,
        command: command.iter().map(|word| (*word).to_owned()).collect(),
        give_up: Nanos::from_secs(120),
        ..Program::default()
    }
}

#[cfg(test)]
mod tests {
    use super::statement;

    #[test]
    fn a_statement_has_its_rows_and_its_length() {
        let text = statement(5_532, 376_000);
        assert_eq!(text.matches("'),(").count() + 1, 5_532);
        assert!((376_000..=376_010).contains(&text.len()), "{}", text.len());
        assert!(text.starts_with("INSERT INTO lab.batch VALUES (1,'") && text.ends_with("');"));
    }
}
