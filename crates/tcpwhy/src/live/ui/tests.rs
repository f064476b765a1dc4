//! What the screen shows, on a terminal that is a grid of letters.

use super::app::App;
use super::draw::draw;
use crate::live::fixture::{at_edge, row, starved};
use crate::live::kernel::Status;
use crate::live::words;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::Color;
use tcpwhy_core::advice::Language;
use tcpwhy_core::units::Nanos;

fn app(color: bool) -> App {
    App::new(false, Nanos::from_secs(1), color, words::of(Language::En))
}

fn screen(app: &App, width: u16, height: u16) -> Terminal<TestBackend> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(frame, app)).unwrap();
    terminal
}

fn text(app: &App, width: u16, height: u16) -> String {
    let terminal = screen(app, width, height);
    let buffer = terminal.backend().buffer();
    let line = |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    (0..height).map(|y| line(y).trim_end().to_owned() + "\n").collect()
}

fn press(app: &mut App, code: KeyCode) -> bool {
    app.key(KeyEvent::new(code, KeyModifiers::NONE))
}

#[test]
fn the_table_shows_the_limit_now_and_over_the_last_minute() {
    let mut app = app(false);
    app.round(vec![row(1, "mysqld", at_edge())]);
    app.round(vec![row(1, "mysqld", starved()), row(2, "nginx", at_edge())]);
    let golden = "\
tcpwhy live  2 sockets, by time lost
PROCESS          PEER                   RATE         RTT      LIMIT NOW                         LOST    LAST MINUTE
mysqld           10.0.0.2:50001         7.0 Mbit/s   20.0 ms  send buffer                       2.0 s   RS
nginx            10.0.0.2:50002         7.0 Mbit/s   20.0 ms  receive window, small buffer      1.0 s   R

q quit  ↑↓ choose  Enter details  s sort  / filter  f freeze  a all  ? keys
";
    assert_eq!(text(&app, 120, 6), golden);
}

#[test]
fn a_small_terminal_keeps_the_limit_and_its_whole_minute() {
    let mut app = app(false);
    for second in 0..60 {
        let state = if second < 40 { at_edge() } else { starved() };
        app.round(vec![row(1, "mysqld", state)]);
    }
    let medium = text(&app, 80, 5);
    assert!(
        medium.contains("mysqld     10.0.0.2:50001        7.0 Mbit/s  send buffer "),
        "{medium}"
    );
    let line = |text: &str| text.lines().nth(2).unwrap().to_owned();
    assert!(line(&medium).ends_with(" RRRRRSSS"), "{medium}");
    let small = text(&app, 40, 5);
    assert!(line(&small).starts_with("mysqld   send buffer "), "{small}");
    assert!(line(&small).ends_with(" RRRRRRSSS"), "{small}");
}

#[test]
fn a_minute_is_one_however_long_its_rounds_are() {
    let rounds = |interval, count| {
        let mut app = App::new(false, interval, false, words::of(Language::En));
        for _ in 0..count {
            app.round(vec![row(1, "mysqld", starved())]);
        }
        let lost = app.lost(app.visible()[0]);
        (lost, text(&app, 120, 4).contains("LAST MINUTE"))
    };
    // Each of the rounds lost a second.
    assert_eq!(rounds(Nanos::from_millis(50), 1300), (Nanos::from_secs(1200), true));
    assert_eq!(rounds(Nanos::from_secs(60), 3), (Nanos::from_secs(1), true));
    assert_eq!(rounds(Nanos::from_secs(600), 3), (Nanos::from_secs(1), false));
}

#[test]
fn what_is_missing_is_said_in_lines_of_its_own() {
    let mut app = app(false);
    app.round(vec![row(1, "mysqld", starved())]);
    let absent = Some("the kernel lets nobody load programs, this user least of all".to_owned());
    app.tell(&Status { absent, ..Status::default() });
    let shown = text(&app, 60, 24);
    let mut lines = shown.lines().skip(1);
    assert!(lines.next().unwrap().starts_with("Without the kernel's events: "), "{shown}");
    assert!(lines.next().unwrap().ends_with("least of all."), "{shown}");
    app.tell(&Status::default());
    assert!(text(&app, 60, 24).lines().nth(1).unwrap().starts_with("PROCESS"));
}

#[test]
fn details_draw_buffers_windows_and_queue() {
    let mut app = app(false);
    app.round(vec![row(1, "mysqld", starved())]);
    press(&mut app, KeyCode::Enter);
    let text = text(&app, 110, 14);
    for line in [
        "send buffer 100 %: locked by the application at 16.0 KiB",
        "send buffer    ████████████████████████··· locked by the application at 16.0 KiB",
        "in flight      ██████████················· 12 of 30 packets (cwnd)",
        "peer's window  ██████····················· 16.0 KiB of 64.0 KiB that the peer offers",
        "queue          unsent 0 B, unread 0 B",
        "kernel's watch busy 100 % rwnd 0 % sndbuf 0 % (differs)",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
fn another_language_takes_the_columns_that_its_letters_need() {
    let mut app = App::new(false, Nanos::from_secs(1), false, words::of(Language::Zh));
    app.round(vec![row(1, "mysqld", starved())]);
    press(&mut app, KeyCode::Enter);
    // The letter's second column is an empty cell.
    let text = text(&app, 110, 14).replace(' ', "");
    for line in [
        "1个套接字，按损失的时间排序",
        "发送缓冲区100%：被应用程序锁定在16.0KiB",
        "在途██████████·················12/30个包（cwnd）",
        "内核计时busy100%rwnd0%sndbuf0%（不一致）：",
        "q退出",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
fn colours_are_the_limits_and_none_without() {
    let colored = |color| {
        let mut app = app(color);
        app.round(vec![row(1, "mysqld", starved())]);
        let terminal = screen(&app, 110, 6);
        terminal.backend().buffer().content().iter().any(|cell| cell.fg == Color::Indexed(172))
    };
    assert!(colored(true));
    assert!(!colored(false));
}

#[test]
fn a_frozen_screen_stays_and_a_filter_takes_what_fits() {
    let mut app = app(false);
    app.round(vec![row(1, "mysqld", starved()), row(2, "nginx", at_edge())]);
    press(&mut app, KeyCode::Char('f'));
    app.round(Vec::new());
    assert_eq!(app.visible().len(), 2);
    for key in "/nGi".chars() {
        press(&mut app, KeyCode::Char(key));
    }
    assert_eq!(app.visible().len(), 1);
    assert!(text(&app, 80, 5).contains("filter: nGi_"));
    press(&mut app, KeyCode::Esc);
    assert_eq!(app.visible().len(), 2);
}

#[test]
fn escape_leaves_what_was_entered_last_and_never_the_program() {
    let mut app = app(false);
    app.round(vec![row(1, "mysqld", starved()), row(2, "nginx", at_edge())]);
    for key in "/nginx".chars() {
        press(&mut app, KeyCode::Char(key));
    }
    press(&mut app, KeyCode::Enter);
    assert!(text(&app, 80, 5).contains("Esc clear filter"));
    press(&mut app, KeyCode::Enter);
    assert!(app.details && text(&app, 80, 14).contains("Esc close"));
    for (details, rows) in [(false, 1), (false, 2), (false, 2)] {
        assert!(!press(&mut app, KeyCode::Esc));
        assert_eq!((app.details, app.visible().len()), (details, rows));
    }
    assert!(!text(&app, 80, 5).contains("Esc"));
}

#[test]
fn options_that_no_socket_fits_are_named() {
    let mut app = app(false);
    app.asked = "--port 81".to_owned();
    assert!(text(&app, 80, 5).contains("sampling"));
    app.round(Vec::new());
    assert!(text(&app, 80, 5).contains("No socket fits --port 81."));
}

#[test]
fn a_key_shows_all_keys() {
    let mut app = app(false);
    app.round(vec![row(1, "mysqld", starved())]);
    press(&mut app, KeyCode::Char('?'));
    let shown = text(&app, 80, 12);
    assert!(
        shown.contains("f  Space    freeze the screen") && !shown.contains("mysqld"),
        "{shown}"
    );
    assert!(!press(&mut app, KeyCode::Esc));
    assert!(text(&app, 80, 12).contains("mysqld"));
}

#[test]
fn keys_sort_choose_and_end() {
    let mut app = app(false);
    app.round(vec![row(1, "mysqld", starved()), row(2, "apache", at_edge())]);
    for _ in 0..3 {
        press(&mut app, KeyCode::Char('s'));
    }
    assert_eq!(app.visible()[0].process(app.words), "apache");
    press(&mut app, KeyCode::Down);
    assert_eq!(app.place(&app.visible()), Some(1));
    press(&mut app, KeyCode::PageUp);
    assert_eq!(app.place(&app.visible()), Some(0));
    assert!(press(&mut app, KeyCode::Char('q')));
    assert!(app.key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL)));
}

#[test]
fn any_size_of_terminal_is_drawn() {
    let mut app = app(true);
    app.round((0..50).map(|n| row(n, "mysqld", starved())).collect());
    press(&mut app, KeyCode::Enter);
    for (width, height) in [(1, 1), (20, 4), (80, 24), (300, 100)] {
        text(&app, width, height);
    }
}

/// Run by the test below, on a terminal.
#[test]
#[ignore = "needs a terminal, and fails"]
fn a_panic_on_the_screen() {
    let mut screen = super::screen::Screen::open().unwrap();
    screen.terminal.draw(|frame| draw(frame, &app(false))).unwrap();
    panic!("on purpose");
}

#[test]
fn a_panic_gives_the_terminal_back_and_is_read_there() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/live/terminal.py");
    let name = "live::ui::tests::a_panic_on_the_screen";
    let output = std::process::Command::new("python3")
        .args([script, "none"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", name, "--ignored", "--nocapture", "--test-threads=1"])
        .output();
    let output = match output {
        Ok(output) => output,
        Err(e) => return eprintln!("skipped: python3: {e}"),
    };
    let error = String::from_utf8_lossy(&output.stderr);
    let ended: serde_json::Value = serde_json::from_slice(&output.stdout).expect(&error);
    assert_eq!(ended["after"], ended["before"], "{ended}");
    let text = ended["text"].as_str().unwrap();
    let place = |part: &str| text.find(part).unwrap_or_else(|| panic!("no {part:?}: {text:?}"));
    // The other screen, left before the words come.
    assert!(place("\u{1b}[?1049h") < place("\u{1b}[?1049l"));
    assert!(place("\u{1b}[?1049l") < place("on purpose"));
    assert!(text.rfind("\u{1b}[?25l") < text.rfind("\u{1b}[?25h"), "the cursor is shown: {text:?}");
}
