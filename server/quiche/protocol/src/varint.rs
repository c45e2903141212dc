//! Variable-length integers (RFC 9000 section 16).

/// The largest value that fits.
pub const MAX: u64 = (1 << 62) - 1;

/// Appends `value` in its shortest form. Panics above [`MAX`]: nothing that this crate encodes comes near it.
pub fn encode(value: u64, out: &mut Vec<u8>) {
    match value {
        0..0x40 => out.push(value as u8),
        0x40..0x4000 => out.extend_from_slice(&(value as u16 | 0x4000).to_be_bytes()),
        0x4000..0x4000_0000 => out.extend_from_slice(&(value as u32 | 0x8000_0000).to_be_bytes()),
        0x4000_0000..=MAX => out.extend_from_slice(&(value | 0xc000_0000_0000_0000).to_be_bytes()),
        _ => panic!("{value} is too large for a varint"),
    }
}

/// The value at the start of `data` and its length there; `None` when `data` ends before it does.
pub fn decode(data: &[u8]) -> Option<(u64, usize)> {
    let first = *data.first()?;
    let length = 1 << (first >> 6);
    let bytes = data.get(1..length)?;
    let value = bytes.iter().fold(u64::from(first & 0x3f), |value, byte| value << 8 | u64::from(*byte));
    Some((value, length))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_examples_of_rfc_9000_appendix_a_1() {
        for (bytes, value) in [
            (&[0xc2, 0x19, 0x7c, 0x5e, 0xff, 0x14, 0xe8, 0x8c][..], 151_288_809_941_952_652),
            (&[0x9d, 0x7f, 0x3e, 0x7d], 494_878_333),
            (&[0x7b, 0xbd], 15_293),
            (&[0x25], 37),
        ] {
            assert_eq!(decode(bytes), Some((value, bytes.len())));
            let mut encoded = Vec::new();
            encode(value, &mut encoded);
            assert_eq!(encoded, bytes);
        }
    }

    proptest! {
        #[test]
        fn every_value_comes_back_and_a_cut_one_does_not(value in 0..=MAX) {
            let mut encoded = Vec::new();
            encode(value, &mut encoded);
            prop_assert_eq!(decode(&encoded), Some((value, encoded.len())));
            prop_assert_eq!(decode(&encoded[..encoded.len() - 1]), None);
        }
    }
}
