//! What the link needs to know about the packets from a TUN device.

const TCP: u8 = 6;
const UDP: u8 = 17;
const MIN_HEADER_BYTES: usize = 20;

/// Links carry IPv4 only. Other packets are the kernel's own, such as IPv6 router solicitations, and would count as
/// traffic.
pub fn is_ipv4(packet: &[u8]) -> bool {
    packet.len() >= MIN_HEADER_BYTES && packet[0] >> 4 == 4
}

/// A hash (FNV-1a) of the addresses, the protocol and, if it has them, the ports of an IPv4 packet.
pub fn flow_of(packet: &[u8]) -> u32 {
    let header_bytes = usize::from(packet[0] & 0x0F) * 4;
    let is_fragment = u16::from_be_bytes([packet[6], packet[7]]) & 0x3FFF != 0;
    let has_ports = matches!(packet[9], TCP | UDP) && !is_fragment;
    let ports = packet.get(header_bytes..header_bytes + 4).filter(|_| has_ports).unwrap_or_default();
    let identity = [&packet[9..10], &packet[12..20], ports].concat();
    identity.iter().fold(0x811C_9DC5, |hash: u32, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn udp(source_port: u16, fragment: u16) -> Vec<u8> {
        let mut packet = vec![0x45, 0, 0, 100, 0, 0, 0, 0, 64, UDP, 0, 0, 10, 77, 0, 1, 10, 77, 0, 2];
        packet[6..8].copy_from_slice(&fragment.to_be_bytes());
        packet.extend(source_port.to_be_bytes());
        packet.extend([0x11, 0x51, 0, 80, 0, 0]);
        packet
    }

    #[test]
    fn ports_tell_flows_apart() {
        assert_eq!(flow_of(&udp(1000, 0)), flow_of(&udp(1000, 0)));
        assert_ne!(flow_of(&udp(1000, 0)), flow_of(&udp(1001, 0)));
    }

    #[test]
    fn fragments_have_no_ports() {
        assert_eq!(flow_of(&udp(1000, 0x2000)), flow_of(&udp(1001, 0x00B9)));
    }

    #[test]
    fn cut_packets_do_no_harm() {
        for length in 0..udp(1, 0).len() {
            let packet = &udp(1, 0)[..length];
            if is_ipv4(packet) {
                flow_of(packet);
            }
        }
        assert!(is_ipv4(&udp(1, 0)) && !is_ipv4(&[0x60; 40]) && !is_ipv4(&[0x45; 19]));
    }
}
