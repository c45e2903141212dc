use super::check;
use std::{
    io,
    net::UdpSocket,
    os::fd::{FromRawFd, OwnedFd},
};

const HEADER_BYTES: usize = 16;

/// Brings up a device of this thread's network, with a transmit queue of this length if it is given. Uses netlink
/// because the ioctl for the queue is not allowed to ordinary users, even in their own network namespaces.
pub fn take_up(name: &str, transmit_queue_packets: Option<u32>) -> io::Result<()> {
    // SAFETY: no memory is involved, and the descriptor belongs to nobody else.
    let socket = unsafe {
        let flags = libc::SOCK_RAW | libc::SOCK_CLOEXEC;
        OwnedFd::from_raw_fd(check(libc::socket(libc::AF_NETLINK, flags, libc::NETLINK_ROUTE))?)
    };
    // Only for its send and recv, which are the same for every kind of socket.
    let socket = UdpSocket::from(socket);
    socket.send(&request(name, transmit_queue_packets))?;
    let mut reply = [0; 1024];
    let length = socket.recv(&mut reply)?;
    match reply[..length].get(HEADER_BYTES..HEADER_BYTES + 4) {
        Some(&[0, 0, 0, 0]) => Ok(()),
        Some(&[a, b, c, d]) => Err(io::Error::from_raw_os_error(-i32::from_ne_bytes([a, b, c, d]))),
        _ => Err(io::Error::from(io::ErrorKind::UnexpectedEof)),
    }
}

/// RTM_NEWLINK (rtnetlink(7)) for an existing device.
fn request(name: &str, transmit_queue_packets: Option<u32>) -> Vec<u8> {
    let up = libc::IFF_UP as u32;
    let mut attributes = attribute(libc::IFLA_IFNAME, &[name.as_bytes(), &[0]].concat());
    if let Some(packets) = transmit_queue_packets {
        attributes.extend(attribute(libc::IFLA_TXQLEN, &packets.to_ne_bytes()));
    }
    let flags = (libc::NLM_F_REQUEST | libc::NLM_F_ACK) as u16;
    // Family, device type and index are 0: the name identifies the device. Then the flags, and the mask of flags to
    // change.
    let device = [0, 0, up, up].map(u32::to_ne_bytes).concat();
    let length = (HEADER_BYTES + device.len() + attributes.len()) as u32;
    let sequence_and_port = [0; 8];
    [
        &length.to_ne_bytes()[..],
        &libc::RTM_NEWLINK.to_ne_bytes(),
        &flags.to_ne_bytes(),
        &sequence_and_port,
        &device,
        &attributes,
    ]
    .concat()
}

/// Length, type and value, padded to whole words.
fn attribute(kind: libc::c_ushort, value: &[u8]) -> Vec<u8> {
    let length = 4 + value.len();
    let mut bytes = [&(length as u16).to_ne_bytes()[..], &kind.to_ne_bytes(), value].concat();
    bytes.resize(length.next_multiple_of(4), 0);
    bytes
}
