//! CRC-32C (Castagnoli, reflected polynomial 0x82F63B78), sixteen bytes a step.
//!
//! Sarwate's table method, widened to sixteen tables ("slicing"; Kounavis and Berry, 2005). Detects accidents, not
//! attackers: those meet the validation that follows, and signatures.

const TABLES: [[u32; 256]; 16] = tables();

#[expect(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    reason = "evaluated at compile time only, where a slip is a build error"
)]
const fn tables() -> [[u32; 256]; 16] {
    let mut tables = [[0_u32; 256]; 16];
    let mut byte = 0_usize;
    while byte < 256 {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 {
                (crc >> 1) ^ 0x82F6_3B78
            } else {
                crc >> 1
            };
            bit += 1;
        }
        tables[0][byte] = crc;
        byte += 1;
    }
    let mut slice = 1;
    while slice < 16 {
        byte = 0;
        while byte < 256 {
            let previous = tables[slice - 1][byte];
            tables[slice][byte] = (previous >> 8) ^ tables[0][(previous & 0xFF) as usize];
            byte += 1;
        }
        slice += 1;
    }
    tables
}

fn step(table: &[u32; 256], byte: u8) -> u32 {
    // A byte is always below 256, so the default is never taken.
    table.get(usize::from(byte)).copied().unwrap_or_default()
}

/// The CRC-32C of the bytes.
///
/// # Complexity
///
/// O(length).
///
/// # Example
///
/// ```
/// // The check value of RFC 3720, appendix B.4: 32 bytes of zero.
/// assert_eq!(permc_runtime::format::crc32c(&[0; 32]), 0x8A91_36AA);
/// ```
#[must_use]
pub fn crc32c(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    let (blocks, rest) = bytes.as_chunks::<16>();
    for block in blocks {
        let [a, b, c, d, tail @ ..] = *block;
        let [a, b, c, d] = (crc ^ u32::from_le_bytes([a, b, c, d])).to_le_bytes();
        let mut next = 0;
        for (table, byte) in TABLES
            .iter()
            .rev()
            .zip([a, b, c, d].into_iter().chain(tail))
        {
            next ^= step(table, byte);
        }
        crc = next;
    }
    for byte in rest {
        let [low, ..] = crc.to_le_bytes();
        crc = (crc >> 8) ^ step(&TABLES[0], low ^ byte);
    }
    !crc
}

#[cfg(test)]
mod tests {
    use super::crc32c;

    fn bitwise(bytes: &[u8]) -> u32 {
        let mut crc = u32::MAX;
        for byte in bytes {
            crc ^= u32::from(*byte);
            for _ in 0..8 {
                crc = if crc & 1 == 1 {
                    (crc >> 1) ^ 0x82F6_3B78
                } else {
                    crc >> 1
                };
            }
        }
        !crc
    }

    #[test]
    fn known_check_values() {
        // RFC 3720, appendix B.4, and the usual "123456789" check value.
        assert_eq!(crc32c(&[]), 0);
        assert_eq!(crc32c(b"123456789"), 0xE306_9283);
        assert_eq!(crc32c(&[0xFF; 32]), 0x62A8_AB43);
    }

    #[test]
    fn equals_the_bitwise_definition_at_every_length() {
        let bytes: Vec<u8> = (0..200_u32)
            .map(|i| (i.wrapping_mul(167) >> 2).to_le_bytes()[0])
            .collect();
        for length in 0..bytes.len() {
            assert_eq!(
                crc32c(&bytes[..length]),
                bitwise(&bytes[..length]),
                "length {length}"
            );
        }
    }
}
