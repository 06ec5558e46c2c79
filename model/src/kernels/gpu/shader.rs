//! A shader's source and its launch.

use burn::backend::wgpu::{CubeDim, CubeTensor, KernelSource, SourceKernel, SourceTemplate};
use cubecl::prelude::{CubeCount, KernelId};
use cubecl::server::{KernelArguments, MetadataBindingInfo};

/// A compute shader in WGSL whose entry point is `main`.
#[derive(Clone, Copy)]
pub struct Shader {
    name: &'static str,
    source: &'static str,
    /// The replacements of the source's placeholders.
    parts: &'static [(&'static str, &'static str)],
    /// The rows and columns that an invocation computes; see [`unrolled`].
    tile: [usize; 2],
}

impl Shader {
    /// Creates the shader `name` from `source`.
    pub const fn new(name: &'static str, source: &'static str) -> Self {
        Self {
            name,
            source,
            parts: &[],
            tile: [1, 1],
        }
    }

    /// Returns the shader with `parts` in place of the source's placeholders.
    pub const fn with_parts(self, parts: &'static [(&'static str, &'static str)]) -> Self {
        Self { parts, ..self }
    }

    /// Returns the shader with lines repeated for each of `rows` rows and `columns` columns.
    pub const fn with_tile(self, rows: usize, columns: usize) -> Self {
        Self {
            tile: [rows, columns],
            ..self
        }
    }

    /// Returns the number of invocations for a result of `rows` and `columns`.
    pub fn invocations(&self, rows: usize, columns: usize) -> [usize; 2] {
        [columns.div_ceil(self.tile[1]), rows.div_ceil(self.tile[0])]
    }
}

/// Repeats the lines that begin with `each row:`, `each column:` or `each pair:`, with the numbers in
/// place of `{r}` and `{c}`: WGSL has no macros, and software adapters keep an array that is indexed in
/// a loop in memory instead of in registers.
fn unrolled(source: &str, [rows, columns]: [usize; 2]) -> String {
    let mut result = String::new();
    for line in source.lines() {
        let repeated = line.trim_start().strip_prefix("each ");
        let Some((what, statement)) = repeated.and_then(|rest| rest.split_once(": ")) else {
            result.push_str(line);
            result.push('\n');
            continue;
        };
        let rows = if what == "column" { 1 } else { rows };
        let columns = if what == "row" { 1 } else { columns };
        for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)))
        {
            let statement = statement.replace("{r}", &row.to_string());
            result.push_str(&statement.replace("{c}", &column.to_string()));
            result.push('\n');
        }
    }
    result
}

impl KernelSource for Shader {
    fn source(&self) -> SourceTemplate {
        let source = SourceTemplate::new(unrolled(self.source, self.tile));
        self.parts
            .iter()
            .fold(source, |source, (part, text)| source.register(*part, *text))
    }

    fn id(&self) -> KernelId {
        KernelId::new::<Self>().info(self.name)
    }

    fn lang(&self) -> &'static str {
        "wgsl"
    }
}

/// Launches `groups` workgroups of `shader` on `buffers`, bound in that order, and `info`, bound last
/// as a uniform: numbers of 32 bits, a multiple of four of them.
pub fn launch(shader: &Shader, groups: [usize; 3], buffers: &[&CubeTensor], info: &[usize]) {
    let Some(first) = buffers.first() else { return };
    let words = info
        .chunks(2)
        .map(|pair| pair[0] as u64 | (pair[1] as u64) << 32)
        .collect();
    let buffers = buffers
        .iter()
        .map(|tensor| tensor.handle.clone().binding())
        .collect();
    let arguments = KernelArguments::new()
        .with_buffers(buffers)
        .with_info(MetadataBindingInfo::custom(words));
    let [x, y, z] = groups.map(|count| count as u32);
    // The workgroup's size stands in the source; this one is for the runtime's records.
    let kernel = SourceKernel::new(*shader, CubeDim::new_1d(64));
    first
        .client
        .launch(Box::new(kernel), CubeCount::Static(x, y, z), arguments);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_repeated_for_each_row_column_and_pair() {
        let source = "a\n  each row: r{r}\neach column: c{c}\neach pair: p{r}{c}\n";
        let expected = "a\nr0\nr1\nc0\nc1\nc2\np00\np01\np02\np10\np11\np12\n";
        assert_eq!(unrolled(source, [2, 3]), expected);
    }
}
