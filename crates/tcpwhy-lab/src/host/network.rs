//! The addresses behind a link.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::spec::Role;

/// 10.77.N.0/24 and fd77:0:0:N::/120; in a lab that runs behind another lab's link a part of that lab's network, so that every
/// route to the outer lab's hosts leads to the inner one's, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    /// N.
    number: u8,
    /// The last number of its first address, which no host has.
    first: u8,
    /// Bits that its IPv4 addresses have in common; IPv6: 96 more.
    prefix: u8,
}

/// Two hosts and the two addresses around them.
const SMALLEST: u8 = 30;

impl Default for Network {
    fn default() -> Self {
        Self::outermost(0)
    }
}

impl Network {
    /// 10.77.`number`.0/24.
    pub fn outermost(number: u8) -> Self {
        Self { number, first: 0, prefix: 24 }
    }

    /// The one whose client has this address.
    pub fn of_client(address: Ipv4Addr, mask: Ipv4Addr) -> Option<Self> {
        let prefix = u8::try_from(u32::from(mask).leading_ones()).ok()?;
        let [_, _, number, last] = address.octets();
        let network = Self { number, first: last.checked_sub(1)?, prefix };
        let begin = Ipv4Addr::new(10, 77, number, network.first);
        let ours = (24..=SMALLEST).contains(&prefix) && network.masked(address.into()) == begin;
        ours.then_some(network)
    }

    /// Parts for the labs in its client, the first one the largest: chains of labs are more usual than many side by side. All lie
    /// behind the client's own address, and none has anything of another.
    pub fn parts(self) -> impl Iterator<Item = Self> {
        (self.prefix + 1..=SMALLEST).map(move |prefix| Self {
            first: self.first | 1 << (32 - prefix),
            prefix,
            ..self
        })
    }

    /// A host's addresses: IPv4 first, then IPv6.
    pub fn addresses(self, role: Role) -> [IpAddr; 2] {
        let last = match role {
            Role::Client => self.first | 1,
            Role::Server => self.first | 2,
        };
        let v4 = Ipv4Addr::new(10, 77, self.number, last);
        let v6 = Ipv6Addr::new(0xfd77, 0, 0, u16::from(self.number), 0, 0, 0, u16::from(last));
        [v4.into(), v6.into()]
    }

    /// Bits that all its addresses of this one's family have in common.
    pub(super) fn prefix(self, address: IpAddr) -> u8 {
        if address.is_ipv4() { self.prefix } else { 96 + self.prefix }
    }

    /// The first address of a network as large as this one.
    pub(super) fn masked(self, address: IpAddr) -> IpAddr {
        let rest = 32 - u32::from(self.prefix);
        match address {
            IpAddr::V4(v4) => Ipv4Addr::from_bits(v4.to_bits() >> rest << rest).into(),
            IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() >> rest << rest).into(),
        }
    }

    /// Whether this address is in it.
    pub fn holds(self, address: Ipv4Addr) -> bool {
        self.masked(address.into()) == self.masked(self.addresses(Role::Client)[0])
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "10.77.{}.{}/{}", self.number, self.first, self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(network: Network) -> Ipv4Addr {
        let IpAddr::V4(address) = network.addresses(Role::Client)[0] else { panic!("IPv4 first") };
        address
    }

    #[test]
    fn a_network_is_known_by_its_clients_address() {
        let mask = |prefix: u32| Ipv4Addr::from_bits(u32::MAX << (32 - prefix));
        let outer = Network::outermost(3);
        for network in [outer].into_iter().chain(outer.parts()) {
            let prefix = u32::from(network.prefix);
            assert_eq!(Network::of_client(client(network), mask(prefix)), Some(network));
        }
        for (address, prefix) in [
            ([10, 77, 3, 2], 24),
            ([10, 77, 3, 0], 24),
            ([10, 78, 3, 1], 24),
            ([10, 77, 3, 1], 16),
            ([10, 77, 3, 131], 25),
        ] {
            assert_eq!(Network::of_client(address.into(), mask(prefix)), None, "{address:?}");
        }
    }

    #[test]
    fn parts_lie_inside_without_each_other_and_without_the_hosts() {
        let mut chain = vec![Network::outermost(255)];
        while let Some(part) = chain.last().and_then(|network| network.parts().next()) {
            chain.push(part);
        }
        assert_eq!(chain.len(), 7, "as many labs one inside another");
        assert_eq!(chain[2].to_string(), "10.77.255.192/26");
        for network in chain {
            let parts: Vec<_> = network.parts().collect();
            for (index, part) in parts.iter().enumerate() {
                for role in [Role::Client, Role::Server] {
                    let holders = parts.iter().filter(|other| {
                        let IpAddr::V4(address) = part.addresses(role)[0] else { return false };
                        assert!(network.holds(address));
                        other.holds(address)
                    });
                    assert_eq!(holders.count(), 1, "{network}: part {index}");
                }
                assert!(!part.holds(client(network)), "{network}: {part}");
            }
        }
    }
}
