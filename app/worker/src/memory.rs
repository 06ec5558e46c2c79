//! The room that WebAssembly's memory has for a model.

/// The bytes of a reservation, and the precision to which the room is found.
const PIECE_BYTES: u64 = 1 << 24;
/// Smaller models are not looked at: a text needs as much.
const LEAST_BYTES: u64 = 1 << 26;

/// Makes the memory so large that there is room for a model. Engines differ in how large theirs may become, and a browser may
/// have less; pages that are reserved and not written take no memory of the machine.
///
/// # Errors
/// The bytes that there is room for, if it has too few.
pub fn make_room(bytes: u64) -> Result<(), u64> {
    if bytes < LEAST_BYTES {
        return Ok(());
    }
    let mut reserved: Vec<Vec<u8>> = vec![];
    let mut rest = bytes;
    while rest > 0 {
        let piece_bytes = rest.min(PIECE_BYTES);
        let mut piece = vec![];
        // It is less than the largest allocation.
        if piece.try_reserve_exact(piece_bytes as usize).is_err() {
            return Err(bytes - rest);
        }
        reserved.push(piece);
        rest -= piece_bytes;
    }
    Ok(())
}
