//! Tensors of a file read a stretch at a time, so that no more than a stretch of the file is in memory beside what becomes
//! of it.

use std::borrow::Cow;

use attention_gguf::{CodedLines, Floats, HalfLines};
use attention_pytorch::Source;
use burn::prelude::Device;

use super::tensor::StoredFloats;
use crate::error::ModelError;
use crate::kernels::{Blocks, Compact, Halves, Part};

/// The most bytes that are read at once.
const STRETCH_BYTES: u64 = 1 << 20;

/// A tensor that is read.
pub struct Gathering {
    /// The name in its file.
    name: String,
    tensor: StoredFloats,
    /// The device of a matrix that stays as it is stored, and the most bytes of a buffer there.
    place: Option<(Device, u64)>,
    /// The matrix in its file, if it stays there. Its values are read once, to check them.
    in_place: Option<Halves>,
    /// The stretches to be read, the last first, and the number of the part that each is of.
    stretches: Vec<(usize, StoredFloats)>,
    parts: Vec<Lines>,
    values: Vec<f32>,
    not_finite: usize,
}

/// The values of a tensor.
pub enum Gathered {
    /// A matrix as it is stored, on its device.
    Stored(Compact),
    /// Floats of 32 bits.
    Values(Vec<f32>),
}

impl Gathering {
    /// Begins to read a tensor: as it is stored, for a device with buffers of at most so many bytes, or as floats of 32 bits.
    /// `name` is that in its file.
    pub fn new(name: String, tensor: StoredFloats, place: Option<(Device, u64)>) -> Self {
        let parts = match &place {
            Some((_, bytes)) => tensor.loaded_within(*bytes),
            None => vec![tensor.clone()],
        };
        let numbered = parts.iter().enumerate().flat_map(|(number, part)| {
            let stretches = part.stretches(STRETCH_BYTES).into_iter();
            stretches.map(move |stretch| (number, stretch))
        });
        let mut stretches: Vec<_> = numbered.collect();
        stretches.reverse();
        Gathering {
            name,
            tensor,
            place,
            in_place: None,
            stretches,
            parts: vec![],
            values: vec![],
            not_finite: 0,
        }
    }

    /// Leaves a matrix in its file, if the file is mapped into memory and kernels of the device can read it there.
    fn leave_in(&mut self, file: &dyn Source) {
        let placed = &self.tensor.placed;
        let (Some((device, _)), Some(half)) = (&self.place, self.tensor.half_in_place()) else {
            return;
        };
        let lent = file.lend(placed.start, placed.bytes);
        let width = placed.shape.last().copied().unwrap_or(0);
        self.in_place = lent.and_then(|bytes| Halves::in_place(bytes, half, width, device));
    }

    /// Returns the position of the tensor in its file.
    pub fn start(&self) -> u64 {
        self.tensor.placed.start
    }

    /// Returns the position and the number of the bytes that [`push`](Self::push) takes next; `None` if all have been read.
    pub fn next(&self) -> Option<(u64, u64)> {
        let (_, stretch) = self.stretches.last()?;
        Some((stretch.placed.start, stretch.placed.bytes))
    }

    /// Takes the next bytes of the file.
    ///
    /// # Errors
    /// If memory has no room for them.
    pub fn push(&mut self, bytes: Cow<'_, [u8]>) -> Result<(), ModelError> {
        let Some((number, stretch)) = self.stretches.pop() else {
            return Ok(());
        };
        let floats = stretch.floats(bytes).map_err(ModelError::Read)?;
        self.not_finite += floats.not_finite();
        // Of a tensor that is refused, nothing but the number of these values is needed.
        if self.not_finite > 0 || self.in_place.is_some() {
            return Ok(());
        }
        match self.place {
            Some(_) => self.push_lines(number, &floats),
            None => self.push_values(floats.values()),
        }
        Ok(())
    }

    fn push_lines(&mut self, number: usize, floats: &Floats<'_>) {
        let Some(more) = Lines::of(floats) else {
            return;
        };
        if let Some(lines) = self.parts.get_mut(number) {
            return lines.append(&more);
        }
        let rest = self.stretches.iter().filter(|(of, _)| *of == number);
        let rows = rest.filter_map(|(_, stretch)| stretch.placed.shape.first());
        self.parts.push(more.with_room(rows.sum()));
    }

    fn push_values(&mut self, more: Vec<f32>) {
        // A tensor of one stretch is not copied.
        if self.values.is_empty() {
            self.values = more;
        } else {
            let all = self.tensor.placed.shape.iter().product::<usize>();
            self.values
                .reserve_exact(all.saturating_sub(self.values.len()));
            self.values.extend(more);
        }
    }

    /// Returns what has been read.
    ///
    /// # Errors
    /// If values are not finite.
    pub fn finish(self) -> Result<Gathered, ModelError> {
        if self.not_finite > 0 {
            let of = self.tensor.placed.shape.iter().product::<usize>();
            return Err(ModelError::Weights(format!(
                "`{}`: {} of its {of} values are not finite 32-bit numbers",
                self.name, self.not_finite
            )));
        }
        if let Some(halves) = self.in_place {
            return Ok(Gathered::Stored(Compact::new(vec![Part::Halves(halves)])));
        }
        Ok(match self.place {
            Some((device, _)) => Gathered::Stored(compact(self.parts, &device)),
            None => Gathered::Values(self.values),
        })
    }
}

/// Reads a tensor from a file that gives its bytes at once.
///
/// # Errors
/// If the file cannot be read, or values are not finite.
pub fn gathered(mut tensor: Gathering, file: &dyn Source) -> Result<Gathered, ModelError> {
    tensor.leave_in(file);
    while let Some((start, bytes)) = tensor.next() {
        let bytes = file.part(start, bytes).map_err(ModelError::Read)?;
        tensor.push(bytes)?;
    }
    tensor.finish()
}

/// Returns a matrix on a device from its parts as they are stored.
fn compact(parts: Vec<Lines>, device: &Device) -> Compact {
    let parts = parts.into_iter().map(|lines| match lines {
        Lines::Coded(lines) => Part::Blocks(Blocks::new(lines, device)),
        Lines::Halves(lines) => Part::Halves(Halves::new(lines, device)),
    });
    Compact::new(parts.collect())
}

/// Lines of a matrix as they are stored.
enum Lines {
    Coded(CodedLines),
    Halves(HalfLines),
}

impl Lines {
    fn of(stretch: &Floats<'_>) -> Option<Self> {
        let coded = stretch.coded().map(Lines::Coded);
        coded.or_else(|| stretch.halves().map(Lines::Halves))
    }

    /// Reserves memory for so many more lines.
    fn with_room(mut self, lines: usize) -> Self {
        match &mut self {
            Lines::Coded(coded) => coded.reserve(lines),
            Lines::Halves(halves) => halves.reserve(lines),
        }
        self
    }

    /// Appends lines of the same matrix.
    fn append(&mut self, more: &Self) {
        match (self, more) {
            (Lines::Coded(lines), Lines::Coded(more)) => lines.append(more),
            (Lines::Halves(lines), Lines::Halves(more)) => lines.append(more),
            // All stretches of a matrix have its encoding.
            _ => {}
        }
    }
}

/// Returns true if two tensors of a file have the same values, by their encodings.
///
/// # Errors
/// If the file cannot be read.
pub fn equal(a: &StoredFloats, b: &StoredFloats, file: &dyn Source) -> Result<bool, ModelError> {
    let alike = |floats: &StoredFloats| {
        let placed = &floats.placed;
        (placed.shape.clone(), placed.encoding, placed.order)
    };
    if a == b || alike(a) != alike(b) {
        return Ok(a == b);
    }
    let pairs = a.stretches(STRETCH_BYTES).into_iter();
    for (a, b) in pairs.zip(b.stretches(STRETCH_BYTES)) {
        let [a, b] = [a.read(file), b.read(file)];
        if a.map_err(ModelError::Read)? != b.map_err(ModelError::Read)? {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use attention_gguf::{Encoding, Order, Placed};
    use burn::prelude::*;

    use super::*;
    use crate::kernels::linear_compact;

    /// A matrix of 70 × 64 in an encoding, and its file, which begins with five other bytes.
    fn matrix(encoding: Encoding, order: Order) -> (StoredFloats, Vec<u8>) {
        let shape = vec![70, 64];
        let bytes = 70 * 64 / encoding.block_values() * encoding.block_bytes();
        let mut state = 1_u32;
        let mut stored: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            // No exponent is the largest.
            (state >> 24) as u8 & 0x3b
        })
        .take(bytes)
        .collect();
        let placed = Placed {
            shape,
            encoding,
            order,
            start: 5,
            bytes: bytes as u64,
            with_one: false,
        };
        stored.splice(0..0, [9; 5]);
        (placed.into(), stored)
    }

    fn values(tensor: &StoredFloats, file: &dyn Source) -> Result<Vec<f32>, ModelError> {
        let tensor = Gathering::new("w".to_owned(), tensor.clone(), None);
        match gathered(tensor, file)? {
            Gathered::Values(values) => Ok(values),
            Gathered::Stored(_) => panic!("it was not widened"),
        }
    }

    fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
        tensor.into_data().try_into_vec().unwrap()
    }

    #[test]
    fn a_matrix_in_parts_is_the_whole_matrix() {
        let device = Device::flex();
        for (encoding, order) in [
            (Encoding::Q4_1, Order::Same),
            (Encoding::Q8_0, Order::Alternating { heads: 7 }),
            (Encoding::Bf16, Order::Same),
            (Encoding::F16, Order::Alternating { heads: 7 }),
        ] {
            let (tensor, file) = matrix(encoding, order);
            let read = |bytes| {
                let place = Some((device.clone(), bytes));
                let tensor = Gathering::new("w".to_owned(), tensor.clone(), place);
                match gathered(tensor, &file).unwrap() {
                    Gathered::Stored(matrix) => matrix,
                    Gathered::Values(_) => panic!("it was widened"),
                }
            };
            let whole = read(u64::MAX);
            // A line of this matrix takes 48 to 128 bytes.
            let parts = read(1_500);
            assert_eq!(whole.parts(), 1);
            assert!(parts.parts() > 1, "{encoding:?}");
            let values = values(&tensor, &file).unwrap();
            assert_eq!(numbers(whole.unpack()).len(), values.len());
            assert_eq!(numbers(parts.unpack()), numbers(whole.unpack()));
            for (found, expected) in numbers(parts.unpack()).iter().zip(&values) {
                assert!((found - expected).abs() <= 1e-6 * expected.abs().max(1.0));
            }
            let x = Tensor::<1, Int>::arange(0..3 * 64, &device).float();
            let x = x.reshape([3, 64]).sin();
            assert_eq!(
                numbers(linear_compact(x.clone(), &parts)),
                numbers(linear_compact(x, &whole))
            );
            let places = Tensor::<1, Int>::from_data([69, 0, 13, 14, 30, 69], &device);
            assert_eq!(
                numbers(parts.select(places.clone())),
                numbers(whole.select(places))
            );
        }
    }

    #[test]
    fn values_that_are_not_finite_are_counted_in_all_stretches() {
        let count = 3 * (STRETCH_BYTES as usize / 4);
        let mut floats = vec![1.0_f32; count];
        (floats[0], floats[count - 1]) = (f32::NAN, f32::INFINITY);
        let file: Vec<u8> = floats
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        let placed = Placed {
            shape: vec![count / 64, 64],
            encoding: Encoding::F32,
            order: Order::Same,
            start: 0,
            bytes: file.len() as u64,
            with_one: false,
        };
        let error = values(&placed.clone().into(), &file).unwrap_err();
        let words = format!("`w`: 2 of its {count} values are not finite");
        assert!(error.to_string().contains(&words), "{error}");
        let cut = file[..file.len() - 1].to_vec();
        let error = values(&placed.into(), &cut).unwrap_err();
        assert!(matches!(error, ModelError::Read(_)), "{error}");
    }

    #[test]
    fn tensors_are_compared_by_their_values() {
        let (a, mut file) = matrix(Encoding::F16, Order::Same);
        let mut b = a.clone();
        b.placed.start = file.len() as u64;
        file.extend(file[5..].to_vec());
        assert!(equal(&a, &b, &file).unwrap());
        let last = file.len() - 1;
        file[last] ^= 1;
        assert!(!equal(&a, &b, &file).unwrap());
        b.placed.encoding = Encoding::Bf16;
        assert!(!equal(&a, &b, &file).unwrap());
    }
}
