//! The reader of `preprocessor_config.json`, and pictures of any size by its settings.

use std::path::PathBuf;

use attention_model::checkpoint::{Checkpoint, CheckpointFiles};
use attention_model::picture::Picture;
use burn::prelude::Device;

use crate::damage::Input;

/// All settings that are read, in both spellings of a size.
const SETTINGS: &str = r#"{
    "image_processor_type": "BitImageProcessor", "do_resize": true, "size": {"shortest_edge": 9}, "resample": 3,
    "do_center_crop": true, "crop_size": {"height": 14, "width": 7}, "do_rescale": true, "rescale_factor": 0.00392,
    "do_normalize": true, "image_mean": [0.4, 0.5, 0.6], "image_std": 0.25
}"#;

#[test]
fn settings_of_preprocessing_and_sizes_of_pictures() {
    let directory =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../fixtures/tiny/dinov2-swiglu");
    let read = |file| std::fs::read(directory.join(file)).unwrap();
    let files = CheckpointFiles {
        config: read("config.json"),
        weights: read("model.safetensors").into(),
        ..CheckpointFiles::default()
    };
    let device = Device::flex();
    bolero::check!()
        .with_type::<(Input, u8, u8)>()
        .with_iterations(1000)
        .for_each(|(input, width, height)| {
            let loaded = Checkpoint::load(
                CheckpointFiles {
                    preprocessor: Some(input.json(SETTINGS.as_bytes())),
                    ..files.clone()
                },
                &device,
            );
            let (width, height) = (usize::from(*width % 40), usize::from(*height % 40));
            let picture = Picture::new(width, height, vec![200; 3 * width * height]);
            if let (Ok(checkpoint), Ok(picture)) = (loaded, picture) {
                // A picture that is refused is no fault.
                let _ = checkpoint.show("picture", &picture);
            }
        });
}
