use super::{check, netlink};
use std::{
    fs::File,
    io,
    mem::{self, MaybeUninit},
    net::{Ipv4Addr, UdpSocket},
    os::fd::AsRawFd,
};

/// Packets that the kernel queues for a busy reader: more than a window at 40 Mbit/s, so that the link's own queue
/// decides.
const TRANSMIT_QUEUE_PACKETS: u32 = 4000;

/// The device file of which every open file can become a TUN device.
pub const CLONE_DEVICE: &str = "/dev/net/tun";

/// Opens [`CLONE_DEVICE`] for a device in this thread's network.
pub fn open() -> io::Result<File> {
    File::options().read(true).write(true).open(CLONE_DEVICE)
}

/// Makes the file of [`open`] a TUN device, which ends when the file is closed. Every read and write is one IP packet.
pub fn create(file: &File, name: &str) -> io::Result<()> {
    let mut request = request(name);
    request.ifr_ifru.ifru_flags = (libc::IFF_TUN | libc::IFF_NO_PI) as libc::c_short;
    control(file, libc::TUNSETIFF as libc::Ioctl, &mut request)
}

/// Sets a device's address and its peer's address in this thread's network, and brings it up.
pub fn configure(name: &str, address: Ipv4Addr, peer: Ipv4Addr) -> io::Result<()> {
    let socket = control_socket()?;
    let mut with_address = request(name);
    with_address.ifr_ifru.ifru_addr = socket_address(address);
    control(&socket, libc::SIOCSIFADDR, &mut with_address)?;
    with_address.ifr_ifru.ifru_dstaddr = socket_address(peer);
    control(&socket, libc::SIOCSIFDSTADDR, &mut with_address)?;
    netlink::take_up(name, Some(TRANSMIT_QUEUE_PACKETS))
}

/// Brings up the loopback device of this thread's network.
pub fn take_up_loopback() -> io::Result<()> {
    netlink::take_up("lo", None)
}

/// Any socket in the network can be used (netdevice(7)).
fn control_socket() -> io::Result<UdpSocket> {
    UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))
}

fn request(name: &str) -> libc::ifreq {
    // SAFETY: all-zero bytes are a valid ifreq.
    let mut request: libc::ifreq = unsafe { MaybeUninit::zeroed().assume_init() };
    debug_assert!(name.len() < request.ifr_name.len(), "the last byte ends the name");
    for (target, byte) in request.ifr_name.iter_mut().zip(name.bytes()) {
        *target = byte as libc::c_char;
    }
    request
}

fn socket_address(address: Ipv4Addr) -> libc::sockaddr {
    let address = libc::sockaddr_in {
        sin_family: libc::AF_INET as libc::sa_family_t,
        sin_port: 0,
        sin_addr: libc::in_addr { s_addr: u32::from(address).to_be() },
        sin_zero: [0; 8],
    };
    // SAFETY: both are plain structures of the same size, and the second is how the kernel wants the first passed.
    unsafe { mem::transmute(address) }
}

fn control(file: &impl AsRawFd, operation: libc::Ioctl, request: &mut libc::ifreq) -> io::Result<()> {
    // SAFETY: every operation used here takes an ifreq, which outlives the call.
    check(unsafe { libc::ioctl(file.as_raw_fd(), operation, &raw mut *request) }).map(drop)
}
