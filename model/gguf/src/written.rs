//! GGUF files for tests, written entry by entry.

/// A file whose parts tests choose.
#[derive(Clone)]
pub struct Written {
    pub version: u32,
    pub entries: Vec<Vec<u8>>,
    pub tensors: Vec<Vec<u8>>,
    /// The bytes of all tensors together, which are zero.
    pub data: usize,
}

/// Returns a text behind its length.
pub fn text(text: &str) -> Vec<u8> {
    let length = (text.len() as u64).to_le_bytes();
    [&length, text.as_bytes()].concat()
}

/// Returns an entry of the metadata.
pub fn entry(key: &str, kind: u32, value: &[u8]) -> Vec<u8> {
    [&text(key), kind.to_le_bytes().as_slice(), value].concat()
}

/// Returns a list behind its type and length.
pub fn list(kind: u32, count: u64, items: &[u8]) -> Vec<u8> {
    [&kind.to_le_bytes(), count.to_le_bytes().as_slice(), items].concat()
}

/// Returns the description of a tensor.
pub fn tensor(name: &str, dimensions: &[u64], kind: u32, offset: u64) -> Vec<u8> {
    let mut bytes = text(name);
    bytes.extend((dimensions.len() as u32).to_le_bytes());
    bytes.extend(dimensions.iter().flat_map(|size| size.to_le_bytes()));
    bytes.extend(kind.to_le_bytes());
    bytes.extend(offset.to_le_bytes());
    bytes
}

impl Written {
    /// A model of that architecture without a value, and with a table of three rows.
    pub fn model(architecture: &str) -> Self {
        let empty = Written {
            version: 3,
            entries: vec![],
            tensors: vec![tensor("token_embd.weight", &[2, 3], 0, 0)],
            data: 24,
        };
        empty.with_text("general.architecture", architecture)
    }

    pub fn header(&self) -> Vec<u8> {
        let mut bytes = b"GGUF".to_vec();
        bytes.extend(self.version.to_le_bytes());
        bytes.extend((self.tensors.len() as u64).to_le_bytes());
        bytes.extend((self.entries.len() as u64).to_le_bytes());
        bytes.extend(self.entries.concat());
        bytes.extend(self.tensors.concat());
        bytes
    }

    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.header();
        bytes.resize(bytes.len().next_multiple_of(32) + self.data, 0);
        bytes
    }

    pub fn with_entry(mut self, entry: Vec<u8>) -> Self {
        self.entries.push(entry);
        self
    }

    pub fn with_tensors(mut self, tensors: Vec<Vec<u8>>) -> Self {
        self.tensors = tensors;
        self
    }

    /// Adds a tensor of f32 behind the others.
    pub fn with_tensor(mut self, name: &str, dimensions: &[u64]) -> Self {
        let start = self.data.next_multiple_of(32);
        self.tensors.push(tensor(name, dimensions, 0, start as u64));
        self.data = start + 4 * dimensions.iter().product::<u64>() as usize;
        self
    }

    pub fn with_number(self, key: &str, number: u32) -> Self {
        self.with_entry(entry(key, 4, &number.to_le_bytes()))
    }

    pub fn with_real(self, key: &str, number: f32) -> Self {
        self.with_entry(entry(key, 6, &number.to_le_bytes()))
    }

    pub fn with_boolean(self, key: &str, value: bool) -> Self {
        self.with_entry(entry(key, 7, &[value.into()]))
    }

    pub fn with_text(self, key: &str, value: &str) -> Self {
        self.with_entry(entry(key, 8, &text(value)))
    }

    pub fn with_texts(self, key: &str, texts: &[&str]) -> Self {
        let items: Vec<u8> = texts.iter().flat_map(|item| text(item)).collect();
        self.with_entry(entry(key, 9, &list(8, texts.len() as u64, &items)))
    }

    pub fn with_numbers(self, key: &str, numbers: &[i32]) -> Self {
        let items: Vec<u8> = numbers.iter().flat_map(|it| it.to_le_bytes()).collect();
        self.with_entry(entry(key, 9, &list(5, numbers.len() as u64, &items)))
    }

    pub fn with_reals(self, key: &str, numbers: &[f32]) -> Self {
        let items: Vec<u8> = numbers.iter().flat_map(|it| it.to_le_bytes()).collect();
        self.with_entry(entry(key, 9, &list(6, numbers.len() as u64, &items)))
    }
}
