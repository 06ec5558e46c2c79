//! A shader's source and its launch.

use burn::backend::wgpu::{CubeDim, CubeTensor, KernelSource, SourceKernel, SourceTemplate};
use cubecl::prelude::{CubeCount, KernelId};
use cubecl::server::{KernelArguments, MetadataBindingInfo};

/// A compute shader in WGSL whose entry point is `main`.
#[derive(Clone, Copy)]
pub struct Shader {
    name: &'static str,
    source: &'static str,
    /// What stands for the source's placeholders.
    parts: &'static [(&'static str, &'static str)],
}

impl Shader {
    /// The shader `name`, made of `source` and `parts`.
    pub const fn new(
        name: &'static str,
        source: &'static str,
        parts: &'static [(&'static str, &'static str)],
    ) -> Self {
        Self {
            name,
            source,
            parts,
        }
    }
}

impl KernelSource for Shader {
    fn source(&self) -> SourceTemplate {
        self.parts
            .iter()
            .fold(SourceTemplate::new(self.source), |source, (part, text)| {
                source.register(*part, *text)
            })
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
