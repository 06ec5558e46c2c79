//! Loading a checkpoint on a device, with a check of its numbers.

use std::rc::Rc;

use attention_engine::{Chosen, Engine, Host, failure};
use attention_model::checkpoint::{Checkpoint, CheckpointFiles};
use attention_model::tokenizer::Tokenizer;
use attention_model::verification::{check_attention, check_model};
use attention_model::weights::Ahead;
use attention_protocol::{
    Device as DeviceKind, Failure, FilesFault, ReadyReply, RequestId, ServedFile,
};
use burn::tensor::Device;
use web_sys::Blob;

use crate::browser::Browser;
use crate::disk::{Read, ReadAhead};
use crate::{disk, download, memory, tokenizer};

/// Downloads the checkpoint at `base`, loads it on the device and checks its numbers. `name` is that of the
/// engine's script.
pub async fn load(
    name: &str,
    id: RequestId,
    base: &str,
    files: Vec<ServedFile>,
    chosen: Chosen,
    current: impl Fn() -> bool,
) -> Result<(Engine, ReadyReply), Failure> {
    let began_ms = Browser.now_ms();
    let files = download::checkpoint(id, base, files, &current).await?;
    ready(name, began_ms, files, None, chosen, current).await
}

/// Reads a checkpoint's files from the visitor's disk, loads it on the device and checks its numbers. `files` are
/// in the order of `names`; `name` is that of the engine's script.
pub async fn open(
    name: &str,
    id: RequestId,
    names: &[String],
    files: &[Blob],
    chosen: Chosen,
    current: impl Fn() -> bool,
) -> Result<(Engine, ReadyReply), Failure> {
    let began_ms = Browser.now_ms();
    let loads = match chosen.kind {
        DeviceKind::Cpu => 1,
        // The CPU's results are compared with.
        DeviceKind::WebGpu => 2,
    };
    let loaded = async {
        let Read { files, ahead } = disk::checkpoint(id, names, files, loads, &current).await?;
        ready(name, began_ms, files, ahead, chosen, current).await
    };
    let loaded = loaded.await;
    // Nothing of these was downloaded that could be downloaded anew.
    loaded.map_err(|failure| match failure {
        Failure::Checkpoint { reason } => Failure::Files {
            fault: FilesFault::Unfit { reason },
        },
        failure => failure,
    })
}

async fn ready(
    name: &str,
    began_ms: f64,
    files: CheckpointFiles,
    ahead: Option<ReadAhead>,
    chosen: Chosen,
    current: impl Fn() -> bool,
) -> Result<(Engine, ReadyReply), Failure> {
    let engine = verified(files, ahead, chosen, &current).await?;
    if !current() {
        return Err(Failure::Cancelled);
    }
    let load_ms = Browser.now_ms() - began_ms;
    let ready = engine.ready(name, load_ms, Browser.today());
    Ok((engine, ready))
}

/// Loads the weights and checks the results computed with them. On a GPU they must equal the CPU's results; on the
/// CPU they must be valid attention.
async fn verified(
    files: CheckpointFiles,
    mut ahead: Option<ReadAhead>,
    chosen: Chosen,
    current: &impl Fn() -> bool,
) -> Result<Engine, Failure> {
    let tokenizer = match &files.marian {
        _ if files.reads_pictures() => None,
        Some(files) => Some(Tokenizer::from_marian(files)),
        None => Some(tokenizer::from_json(&files.tokenizer)),
    };
    let tokenizer = tokenizer.transpose().map_err(failure::from_model)?;
    let bytes = files.loaded_bytes().map_err(failure::from_model)?;
    memory::make_room(bytes).map_err(|limit| Failure::Files {
        fault: FilesFault::TooLarge { bytes, limit },
    })?;
    let mut load = async |device: &Device| match (&tokenizer, &mut ahead) {
        (None, _) => Checkpoint::of_pictures(&files, device).map_err(failure::from_model),
        (Some(tokenizer), Some(ahead)) => {
            loaded_ahead(&files, tokenizer, ahead, device, current).await
        }
        (Some(tokenizer), None) => Checkpoint::with_tokenizer(&files, tokenizer.clone(), device)
            .map_err(failure::from_model),
    };
    let device = &chosen.device;
    let (checkpoint, checked) = match chosen.kind {
        DeviceKind::Cpu => {
            let checkpoint = load(device).await?;
            // What a large model was read from makes room for the pass.
            drop(files);
            let checked = check_attention(&checkpoint, device).await;
            (checkpoint, checked)
        }
        DeviceKind::WebGpu => {
            let cpu = attention_model::device::cpu();
            let reference = load(&cpu).await?;
            let checkpoint = load(device).await?;
            drop(files);
            let checked = check_model(&*checkpoint.model, device, &*reference.model, &cpu).await;
            (checkpoint, checked)
        }
    };
    failure::from_check(&Browser, checked)?;
    Ok(Engine::new(Rc::new(checkpoint), chosen))
}

/// Reads the tensors that a model needs, one after another in the order of the file, and loads it with them.
async fn loaded_ahead(
    files: &CheckpointFiles,
    tokenizer: &Tokenizer,
    ReadAhead { streams, progress }: &mut ReadAhead,
    device: &Device,
    current: &impl Fn() -> bool,
) -> Result<Checkpoint, Failure> {
    let wanted = Checkpoint::wanted(files, tokenizer.clone(), device);
    let mut ahead = Ahead::default();
    let mut bytes = vec![];
    for mut tensor in wanted.map_err(failure::from_model)? {
        while let Some((start, count)) = tensor.next() {
            let read = streams.read(start, count, &mut bytes).await;
            read.map_err(|fault| Failure::Files { fault })?;
            if !current() {
                return Err(Failure::Cancelled);
            }
            tensor.push(&bytes).map_err(failure::from_model)?;
            progress.count(count);
        }
        ahead.add(tensor).map_err(failure::from_model)?;
    }
    Checkpoint::with_tensors(files, tokenizer.clone(), &ahead, device).map_err(failure::from_model)
}
