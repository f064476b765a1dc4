//! Return addresses -> functions.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

#[cfg(feature = "bpf")]
use blazesym::Pid;
#[cfg(feature = "bpf")]
use blazesym::symbolize::source::{Process, Source};
#[cfg(feature = "bpf")]
use blazesym::symbolize::{Input, Symbolized, Symbolizer};

use crate::kallsyms::Table;

/// Functions that are remembered.
const MOST: usize = 1 << 16;

/// One function of a stack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Its name, as its program's file says: not to be trusted; `None` where the file has no symbols or cannot be read.
    pub function: Option<String>,
    /// Name of that file.
    pub module: Option<String>,
    /// Place in the file, bytes from its beginning; without a file, the address.
    pub offset: u64,
}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.function, &self.module) {
            (Some(function), Some(module)) => write!(f, "{function} ({module})"),
            (Some(function), None) => f.write_str(function),
            (None, Some(module)) => write!(f, "{module}+{:#x}", self.offset),
            (None, None) => write!(f, "{:#x}", self.offset),
        }
    }
}

/// Names of functions, of programs and of the kernel.
#[derive(Debug)]
pub struct Names {
    kernel: Table,
    users: HashMap<(u32, u64), Frame>,
}

#[cfg(feature = "bpf")]
thread_local! {
    /// It keeps what it read of files, and does not leave its thread.
    static SYMBOLIZER: Symbolizer = Symbolizer::new();
}

impl Names {
    /// Reads those of the kernel, which takes CAP_SYSLOG on many machines; `kernel`: they are wanted.
    #[must_use]
    pub fn read(kernel: bool) -> Self {
        let kernel = if kernel { Table::read() } else { Table::default() };
        Self { kernel, users: HashMap::new() }
    }

    /// Functions of a process that is alive, in the order of their return addresses, the innermost first.
    pub fn user(&mut self, process: u32, frames: &[u64]) -> Vec<Frame> {
        if self.users.len() > MOST {
            self.users.clear();
        }
        // A return address is behind its call, which may be its function's last instruction.
        let calls = frames.iter().enumerate().map(|(i, at)| at.saturating_sub(u64::from(i > 0)));
        let calls: Vec<u64> = calls.collect();
        let is_new = |at: &u64| !self.users.contains_key(&(process, *at));
        let new: Vec<u64> = calls.iter().copied().filter(is_new).collect();
        if !new.is_empty() {
            let named = look_up(process, &new);
            self.users.extend(new.into_iter().map(|at| (process, at)).zip(named));
        }
        calls.iter().filter_map(|at| self.users.get(&(process, *at)).cloned()).collect()
    }

    /// Functions of the kernel.
    #[must_use]
    pub fn kernel(&self, frames: &[u64]) -> Vec<Frame> {
        let frame = |at: &u64| Frame {
            function: self.kernel.name(*at).map(str::to_owned),
            module: None,
            offset: *at,
        };
        frames.iter().map(frame).collect()
    }

    /// Forgets processes that ended: their numbers may be given out again.
    pub fn forget_ended(&mut self) {
        let mut alive = HashMap::new();
        let is_alive = |pid: u32| Path::new("/proc").join(pid.to_string()).exists();
        self.users.retain(|(pid, _), _| *alive.entry(*pid).or_insert_with(|| is_alive(*pid)));
    }
}

fn look_up(process: u32, calls: &[u64]) -> Vec<Frame> {
    let maps = std::fs::read_to_string(format!("/proc/{process}/maps")).unwrap_or_default();
    let names = functions(process, calls).into_iter().chain(std::iter::repeat(None));
    calls.iter().zip(names).map(|(at, function)| Frame { function, ..place(&maps, *at) }).collect()
}

#[cfg(feature = "bpf")]
fn functions(process: u32, calls: &[u64]) -> Vec<Option<String>> {
    let mut source = Process::new(Pid::from(process));
    // A file that any user could write is not read on top of the program's own.
    source.perf_map = false;
    SYMBOLIZER.with(|symbolizer| {
        let found = symbolizer.symbolize(&Source::Process(source), Input::AbsAddr(calls));
        let names = found.unwrap_or_default().into_iter().map(|symbol| match symbol {
            Symbolized::Sym(symbol) => Some(symbol.name.into_owned()),
            Symbolized::Unknown(_) => None,
        });
        names.collect()
    })
}

/// There are no stacks to name.
#[cfg(not(feature = "bpf"))]
fn functions(_: u32, _: &[u64]) -> Vec<Option<String>> {
    Vec::new()
}

/// File and offset of an address, by `/proc/PID/maps`: `from-to rights offset device inode path`.
fn place(maps: &str, address: u64) -> Frame {
    let found = maps.lines().find_map(|line| {
        let mut words = line.split_ascii_whitespace();
        let (from, to) = words.next()?.split_once('-')?;
        let hex = |text| u64::from_str_radix(text, 16).ok();
        let from = hex(from).filter(|from| *from <= address)?;
        hex(to).filter(|to| address < *to)?;
        let offset = hex(words.nth(1)?)?;
        let path = words.nth(2).unwrap_or("[anonymous]");
        let module = path.rsplit('/').next().unwrap_or(path).to_owned();
        Some(Frame { function: None, module: Some(module), offset: offset + (address - from) })
    });
    found.unwrap_or(Frame { function: None, module: None, offset: address })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "bpf")]
    #[inline(never)]
    fn a_function_to_be_found() -> u64 {
        std::hint::black_box(1)
    }

    #[cfg(feature = "bpf")]
    #[test]
    fn a_function_of_this_process_has_its_name_and_file() {
        let address = a_function_to_be_found as fn() -> u64 as usize as u64;
        let mut names = Names::read(false);
        let found = names.user(std::process::id(), &[address + 1, 1]);
        let function = found[0].function.as_deref().unwrap_or_default();
        assert!(function.contains("a_function_to_be_found"), "{found:?}");
        assert!(found[0].module.as_deref().unwrap().starts_with("tcpwhy_live"), "{found:?}");
        assert_eq!(found[1].to_string(), "0x0");
        names.user(u32::MAX, &[7]);
        names.forget_ended();
        assert_eq!(names.users.len(), 2);
    }

    #[test]
    fn an_address_without_a_name_is_a_place_in_its_file() {
        let maps =
            "1000-2000 r-xp 00000500 08:01 99 /usr/lib/libx.so.1\n3000-4000 rw-p 0 00:00 0\n";
        assert_eq!(place(maps, 0x1010).to_string(), "libx.so.1+0x510");
        assert_eq!(place(maps, 0x3001).to_string(), "[anonymous]+0x1");
        assert_eq!(place(maps, 0x2000).to_string(), "0x2000");
    }
}
