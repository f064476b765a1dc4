//! The sysctls that the rules depend on.

/// As found on a host; sizes in bytes, except `tcp_mem` in pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sysctls {
    /// `net.ipv4.tcp_wmem`: least, first, most.
    pub tcp_wmem: [u64; 3],
    /// `net.ipv4.tcp_rmem`: least, first, most.
    pub tcp_rmem: [u64; 3],
    /// `net.core.wmem_max`.
    pub wmem_max: u64,
    /// `net.core.rmem_max`.
    pub rmem_max: u64,
    /// `net.ipv4.tcp_mem`: pages.
    pub tcp_mem: [u64; 3],
    /// `net.ipv4.tcp_adv_win_scale`; without effect from 6.6 on.
    pub tcp_adv_win_scale: i32,
    /// `net.ipv4.tcp_moderate_rcvbuf`: receive autotuning.
    pub tcp_moderate_rcvbuf: bool,
    /// `net.ipv4.tcp_window_scaling`.
    pub tcp_window_scaling: bool,
    /// `net.ipv4.tcp_slow_start_after_idle`.
    pub tcp_slow_start_after_idle: bool,
    /// `net.ipv4.tcp_limit_output_bytes`.
    pub tcp_limit_output_bytes: u64,
    /// `net.ipv4.tcp_notsent_lowat`.
    pub tcp_notsent_lowat: u64,
}

impl Default for Sysctls {
    /// What mainline kernels started with for years on a machine with some gigabytes of memory. 6.18 has larger maxima: `tcp_rmem` 33,554,432,
    /// `rmem_max` and `wmem_max` 4,194,304.
    fn default() -> Self {
        Self {
            tcp_wmem: [4_096, 16_384, 4_194_304],
            tcp_rmem: [4_096, 131_072, 6_291_456],
            wmem_max: 212_992,
            rmem_max: 212_992,
            tcp_mem: [190_000, 254_000, 380_000],
            tcp_adv_win_scale: 1,
            tcp_moderate_rcvbuf: true,
            tcp_window_scaling: true,
            tcp_slow_start_after_idle: true,
            tcp_limit_output_bytes: 4_194_304,
            tcp_notsent_lowat: u64::from(u32::MAX),
        }
    }
}

/// Why a sysctl was refused, in one sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadSysctl(pub String);

impl std::fmt::Display for BadSysctl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadSysctl {}

impl Sysctls {
    /// Takes one setting as `sysctl` writes it; the name with or without `net.ipv4.` or `net.core.`.
    ///
    /// # Errors
    /// A name that no rule depends on, or a value that is not of its form.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), BadSysctl> {
        let short = name.trim().rsplit(['.', '/']).next().unwrap_or_default();
        match short {
            "tcp_wmem" => self.tcp_wmem = from_one(name, value)?,
            "tcp_rmem" => self.tcp_rmem = from_one(name, value)?,
            "tcp_mem" => self.tcp_mem = three(name, value)?,
            "wmem_max" => self.wmem_max = one(name, value)?,
            "rmem_max" => self.rmem_max = one(name, value)?,
            "tcp_limit_output_bytes" => self.tcp_limit_output_bytes = one(name, value)?,
            "tcp_notsent_lowat" => self.tcp_notsent_lowat = one(name, value)?,
            "tcp_moderate_rcvbuf" => self.tcp_moderate_rcvbuf = one(name, value)? != 0,
            "tcp_window_scaling" => self.tcp_window_scaling = one(name, value)? != 0,
            "tcp_slow_start_after_idle" => self.tcp_slow_start_after_idle = one(name, value)? != 0,
            "tcp_adv_win_scale" => self.tcp_adv_win_scale = scale(name, value)?,
            _ => {
                let text = format!(
                    "no rule depends on the sysctl {name:?} (try tcp_rmem, tcp_wmem, rmem_max or wmem_max)"
                );
                return Err(BadSysctl(text));
            }
        }
        Ok(())
    }
}

fn one(name: &str, value: &str) -> Result<u64, BadSysctl> {
    value
        .trim()
        .parse()
        .ok()
        .filter(|v| *v <= u64::from(u32::MAX))
        .ok_or_else(|| bad(name, value, "a whole number up to 4294967295"))
}

fn scale(name: &str, value: &str) -> Result<i32, BadSysctl> {
    let found = value.trim().parse().ok().filter(|v| (-31..=31).contains(v));
    found.ok_or_else(|| bad(name, value, "a number from -31 to 31"))
}

fn three(name: &str, value: &str) -> Result<[u64; 3], BadSysctl> {
    let numbers: Vec<u64> =
        value.split_whitespace().map(|v| one(name, v)).collect::<Result<_, _>>()?;
    match numbers[..] {
        [least, first, most] if least <= most => Ok([least, first, most]),
        _ => Err(bad(name, value, "three numbers: least, first and most")),
    }
}

/// The kernel takes no 0 here (`net/ipv4/sysctl_net_ipv4.c`: `extra1` is `SYSCTL_ONE`).
fn from_one(name: &str, value: &str) -> Result<[u64; 3], BadSysctl> {
    let numbers = three(name, value)?;
    if numbers.contains(&0) {
        return Err(bad(name, value, "three numbers from 1 on: least, first and most"));
    }
    Ok(numbers)
}

fn bad(name: &str, value: &str, what: &str) -> BadSysctl {
    let shown: String = value.chars().take(40).collect();
    BadSysctl(format!("{name}={shown:?} is not {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_as_sysctl_writes_them() {
        let mut s = Sysctls::default();
        assert_eq!(s.set("net.ipv4.tcp_rmem", "4096\t131072\t33554432"), Ok(()));
        assert_eq!(s.tcp_rmem, [4_096, 131_072, 33_554_432]);
        assert_eq!(s.set("wmem_max", " 4194304\n"), Ok(()));
        assert_eq!(s.wmem_max, 4_194_304);
        assert_eq!(s.set("tcp_adv_win_scale", "-2"), Ok(()));
        for (name, value) in [
            ("tcp_rmem", "4096"),
            ("wmem_max", "-1"),
            ("tcp_wmem", "9 9 1"),
            ("tcp_rmem", "0 0 0"),
            ("tcp_magic", "1"),
            ("rmem_max", "99999999999"),
        ] {
            assert!(s.set(name, value).is_err(), "{name}={value}");
        }
    }
}
