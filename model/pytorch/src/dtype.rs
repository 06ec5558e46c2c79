//! The types of a tensor's values.

/// The type of values of a storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dtype {
    /// Floats of 64 bits.
    F64,
    /// Floats of 32 bits.
    F32,
    /// Floats of 16 bits as in IEEE 754.
    F16,
    /// The upper 16 bits of floats of 32 bits.
    Bf16,
    /// Integers of 64 bits.
    I64,
    /// Integers of 32 bits.
    I32,
    /// Integers of 16 bits.
    I16,
    /// Integers of 8 bits.
    I8,
    /// Integers of 8 bits from 0 on.
    U8,
    /// Booleans, a byte each.
    Bool,
}

impl Dtype {
    /// Returns the type of values of a class of storages in the module `torch`.
    pub(crate) fn of_storage(class: &str) -> Option<Self> {
        Some(match class {
            "DoubleStorage" => Dtype::F64,
            "FloatStorage" => Dtype::F32,
            "HalfStorage" => Dtype::F16,
            "BFloat16Storage" => Dtype::Bf16,
            "LongStorage" => Dtype::I64,
            "IntStorage" => Dtype::I32,
            "ShortStorage" => Dtype::I16,
            "CharStorage" => Dtype::I8,
            "ByteStorage" => Dtype::U8,
            "BoolStorage" => Dtype::Bool,
            _ => return None,
        })
    }

    /// Returns the name of the type, as safetensors spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Dtype::F64 => "F64",
            Dtype::F32 => "F32",
            Dtype::F16 => "F16",
            Dtype::Bf16 => "BF16",
            Dtype::I64 => "I64",
            Dtype::I32 => "I32",
            Dtype::I16 => "I16",
            Dtype::I8 => "I8",
            Dtype::U8 => "U8",
            Dtype::Bool => "BOOL",
        }
    }

    /// Returns the number of bytes of a value.
    pub const fn bytes(self) -> u64 {
        match self {
            Dtype::F64 | Dtype::I64 => 8,
            Dtype::F32 | Dtype::I32 => 4,
            Dtype::F16 | Dtype::Bf16 | Dtype::I16 => 2,
            Dtype::I8 | Dtype::U8 | Dtype::Bool => 1,
        }
    }
}
