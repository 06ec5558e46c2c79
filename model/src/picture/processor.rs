//! The way from a picture to the numbers that a model reads, by `preprocessor_config.json`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::{CHANNELS, Filter, PREPROCESSOR_FILE, Picture, Pixels};
use crate::error::ModelError;

/// The longest edge in pixels that a picture is resized to.
const LONGEST_EDGE: usize = 2048;
/// The most pixels of a resized picture.
const MOST_PIXELS: usize = 1 << 24;

/// The preprocessing of checkpoints without [`PREPROCESSOR_FILE`], and of files that leave an entry out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defaults {
    /// `ViTImageProcessor`: the whole picture, resized to height and width in pixels.
    Vit {
        /// Height and width in pixels.
        size: [usize; 2],
    },
    /// `BitImageProcessor` as DINOv2's checkpoints set it: the middle of the picture.
    Dinov2,
}

/// The steps from a picture to the numbers that a model reads.
#[derive(Clone, Debug, PartialEq)]
pub struct Processor {
    resize: Option<Resize>,
    filter: Filter,
    /// Height and width of the middle that is cut out.
    crop: Option<[usize; 2]>,
    /// The factor of the numbers from 0 to 255.
    rescale: Option<f64>,
    /// The mean and the standard deviation of each colour.
    normalize: Option<[[f32; CHANNELS]; 2]>,
    is_assumed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Resize {
    /// To height and width.
    To([usize; 2]),
    /// Until the shorter edge has this length.
    ShorterEdge(usize),
}

/// The file, its entries all optional.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct File {
    image_processor_type: Option<String>,
    feature_extractor_type: Option<String>,
    do_resize: Option<bool>,
    size: Option<Size>,
    resample: Option<u32>,
    do_center_crop: Option<bool>,
    crop_size: Option<Size>,
    do_rescale: Option<bool>,
    rescale_factor: Option<f64>,
    do_normalize: Option<bool>,
    image_mean: Option<PerColour>,
    image_std: Option<PerColour>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Size {
    Edge(usize),
    Named(BTreeMap<String, Option<usize>>),
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged)]
enum PerColour {
    Same(f32),
    Each([f32; CHANNELS]),
}

impl PerColour {
    fn each(self) -> [f32; CHANNELS] {
        match self {
            PerColour::Same(value) => [value; CHANNELS],
            PerColour::Each(values) => values,
        }
    }
}

const IMAGENET_MEAN: [f32; CHANNELS] = [0.485, 0.456, 0.406];
const IMAGENET_STD: [f32; CHANNELS] = [0.229, 0.224, 0.225];
const CLIP_MEAN: [f32; CHANNELS] = [0.481_454_66, 0.457_827_5, 0.408_210_73];
const CLIP_STD: [f32; CHANNELS] = [0.268_629_54, 0.261_302_6, 0.275_777_1];
const RESCALE: f64 = 1.0 / 255.0;

impl Defaults {
    /// Returns the preprocessing of a checkpoint without a file.
    fn processor(self) -> Processor {
        let of = |resize, filter, crop, normalize| Processor {
            resize: Some(resize),
            filter,
            crop,
            rescale: Some(RESCALE),
            normalize: Some(normalize),
            is_assumed: true,
        };
        match self {
            Defaults::Vit { size } => {
                let half = [0.5; CHANNELS];
                of(Resize::To(size), Filter::Bilinear, None, [half, half])
            }
            Defaults::Dinov2 => {
                let of_imagenet = [IMAGENET_MEAN, IMAGENET_STD];
                let (resize, crop) = (Resize::ShorterEdge(256), Some([224; 2]));
                of(resize, Filter::Bicubic, crop, of_imagenet)
            }
        }
    }
}

/// The processors of `transformers` that are implemented.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Vit,
    Bit,
}

impl Kind {
    /// Returns the kind of a file.
    fn of(file: &File, defaults: Defaults) -> Result<Self, ModelError> {
        let name = file.image_processor_type.as_deref();
        let Some(name) = name.or(file.feature_extractor_type.as_deref()) else {
            return Ok(match defaults {
                Defaults::Vit { .. } => Kind::Vit,
                Defaults::Dinov2 => Kind::Bit,
            });
        };
        let plain = ["Fast", "Pil"]
            .iter()
            .find_map(|end| name.strip_suffix(end))
            .unwrap_or(name);
        match plain {
            "ViTImageProcessor" | "ViTFeatureExtractor" => Ok(Kind::Vit),
            "BitImageProcessor" => Ok(Kind::Bit),
            _ => Err(fault(
                "image_processor_type",
                format!("{name} is not one of ViTImageProcessor, BitImageProcessor"),
            )),
        }
    }

    /// Returns the settings that `transformers` has for entries left out.
    fn usual(self) -> Processor {
        match self {
            Kind::Vit => Defaults::Vit { size: [224; 2] }.processor(),
            Kind::Bit => Processor {
                resize: Some(Resize::ShorterEdge(224)),
                normalize: Some([CLIP_MEAN, CLIP_STD]),
                ..Defaults::Dinov2.processor()
            },
        }
    }
}

fn fault(field: &str, fault: String) -> ModelError {
    ModelError::Field {
        file: PREPROCESSOR_FILE,
        field: field.to_owned(),
        fault,
    }
}

impl Size {
    fn edge(&self, name: &str) -> Option<usize> {
        match self {
            Size::Edge(_) => None,
            Size::Named(edges) => edges.get(name).copied().flatten(),
        }
    }

    /// Returns height and width.
    fn both(&self, field: &str) -> Result<[usize; 2], ModelError> {
        let both = match self {
            Size::Edge(edge) => [*edge; 2],
            named => match (named.edge("height"), named.edge("width")) {
                (Some(height), Some(width)) => [height, width],
                _ => {
                    return Err(fault(
                        field,
                        "it is neither a number nor has it height and width".to_owned(),
                    ));
                }
            },
        };
        let [height, width] = both;
        check_edge(field, height)?;
        check_edge(field, width)?;
        Ok(both)
    }

    fn resize(&self, kind: Kind) -> Result<Resize, ModelError> {
        if self.edge("longest_edge").is_some() {
            return Err(fault(
                "size",
                "longest_edge is not implemented; shortest_edge alone, or height and width, are"
                    .to_owned(),
            ));
        }
        let shorter = match self {
            Size::Edge(edge) if kind == Kind::Bit => Some(*edge),
            size => size.edge("shortest_edge"),
        };
        let Some(edge) = shorter else {
            return self.both("size").map(Resize::To);
        };
        check_edge("size", edge)?;
        Ok(Resize::ShorterEdge(edge))
    }
}

fn check_edge(field: &str, edge: usize) -> Result<(), ModelError> {
    match edge {
        1..=LONGEST_EDGE => Ok(()),
        _ => Err(fault(
            field,
            format!("{edge} is not a number of pixels from 1 to {LONGEST_EDGE}"),
        )),
    }
}

impl Processor {
    /// Reads the file's contents; `None` if the checkpoint has none.
    ///
    /// # Errors
    /// If an entry makes no sense or is not implemented, by its name.
    pub fn read(file: Option<&[u8]>, defaults: Defaults) -> Result<Self, ModelError> {
        let Some(bytes) = file else {
            return Ok(defaults.processor());
        };
        let value: Value = serde_json::from_slice(bytes)
            .map_err(|error| fault("the file", format!("it is no JSON object: {error}")))?;
        let file: File = serde_path_to_error::deserialize(value).map_err(|error| {
            let path = error.path().to_string();
            fault(&path, error.into_inner().to_string())
        })?;
        let kind = Kind::of(&file, defaults)?;
        let usual = kind.usual();
        let resize = match file.do_resize {
            Some(false) => None,
            _ => match &file.size {
                Some(size) => Some(size.resize(kind)?),
                None => usual.resize,
            },
        };
        let crops = file.do_center_crop.unwrap_or(kind == Kind::Bit);
        let crop = match (&file.crop_size, crops) {
            (_, false) => None,
            (Some(size), true) => Some(size.both("crop_size")?),
            (None, true) => Some([224; 2]),
        };
        let [mean, deviation] = usual.normalize.unwrap_or_default();
        let mean = file.image_mean.map_or(mean, PerColour::each);
        let deviation = file.image_std.map_or(deviation, PerColour::each);
        if deviation.iter().any(|&it| !it.is_normal()) || mean.iter().any(|it| !it.is_finite()) {
            return Err(fault(
                "image_std",
                format!("{mean:?} and {deviation:?} are not a mean and a deviation of each colour"),
            ));
        }
        let factor = file.rescale_factor.unwrap_or(RESCALE);
        if !factor.is_finite() {
            return Err(fault("rescale_factor", format!("{factor} is not a factor")));
        }
        Ok(Processor {
            resize,
            filter: match file.resample {
                Some(number) => filter(number)?,
                None => usual.filter,
            },
            crop,
            rescale: file.do_rescale.unwrap_or(true).then_some(factor),
            normalize: file
                .do_normalize
                .unwrap_or(true)
                .then_some([mean, deviation]),
            is_assumed: false,
        })
    }

    /// Returns a note if the checkpoint does not describe its preprocessing.
    pub fn note(&self) -> Option<String> {
        self.is_assumed.then(|| {
            format!(
                "{PREPROCESSOR_FILE}: it is missing; pictures are {}",
                self.steps()
            )
        })
    }

    /// Describes the steps in words.
    fn steps(&self) -> String {
        let resize = self.resize.map(|resize| match resize {
            Resize::To([height, width]) => format!("resized to {width} × {height} pixels"),
            Resize::ShorterEdge(edge) => {
                format!("resized until the shorter edge has {edge} pixels")
            }
        });
        let crop = self
            .crop
            .map(|[height, width]| format!("cut to {width} × {height} in the middle"));
        let normalize = self
            .normalize
            .map(|[mean, deviation]| format!("normalised by {mean:?} and {deviation:?}"));
        let steps = [resize, crop, normalize].into_iter().flatten();
        steps.collect::<Vec<_>>().join(", ")
    }

    /// Returns the numbers of a picture that a model reads.
    ///
    /// # Errors
    /// If it would become too large.
    pub fn apply(&self, picture: &Picture) -> Result<Pixels, ModelError> {
        let size_px = picture.size();
        let [width, height] = size_px;
        let resized = match self.resize {
            None => [width, height],
            Some(Resize::To([height, width])) => [width, height],
            Some(Resize::ShorterEdge(edge)) => longer_in_proportion([width, height], edge),
        };
        let pixels = resized[0].saturating_mul(resized[1]);
        if pixels > MOST_PIXELS {
            return Err(ModelError::Picture(format!(
                "of {width} × {height} pixels it would have {} × {} in the model's size, more than {MOST_PIXELS} in all",
                resized[0], resized[1]
            )));
        }
        let picture = picture.resized(resized, self.filter);
        let [height, width] = self.crop.unwrap_or([resized[1], resized[0]]);
        let corner_px = [corner(resized[0], width), corner(resized[1], height)];
        let mut data = vec![0.0; CHANNELS * height * width];
        for (channel, plane) in data.chunks_exact_mut(height * width).enumerate() {
            for (at, value) in plane.iter_mut().enumerate() {
                let place = [at % width, at / width];
                let raw = picture.at(place, corner_px, channel);
                *value = self.value(raw, channel);
            }
        }
        Ok(Pixels {
            data,
            width,
            height,
            size_px,
            resized_px: resized,
            corner_px,
        })
    }

    fn value(&self, raw: u8, channel: usize) -> f32 {
        let scaled = match self.rescale {
            Some(factor) => (f64::from(raw) * factor) as f32,
            None => f32::from(raw),
        };
        match self.normalize {
            Some([mean, deviation]) => (scaled - mean[channel]) / deviation[channel],
            None => scaled,
        }
    }
}

impl Picture {
    /// Returns a colour of the pixel at a place of a part that begins at `corner`; black beyond the picture.
    fn at(&self, place: [usize; 2], corner: [i64; 2], channel: usize) -> u8 {
        let [x, y] = [0, 1].map(|axis| usize::try_from(place[axis] as i64 + corner[axis]));
        match (x, y) {
            (Ok(x), Ok(y)) if x < self.width && y < self.height => {
                self.rgb[(y * self.width + x) * CHANNELS + channel]
            }
            _ => 0,
        }
    }
}

/// Returns where the middle part of a length begins; negative if the part is longer.
fn corner(length: usize, part: usize) -> i64 {
    (length as i64 - part as i64).div_euclid(2)
}

/// Returns width and height with the shorter one of this length, as `transformers` rounds the longer one.
fn longer_in_proportion([width, height]: [usize; 2], edge: usize) -> [usize; 2] {
    let longer = |long: usize, short: usize| edge.saturating_mul(long) / short;
    match width <= height {
        true => [edge, longer(height, width)],
        false => [longer(width, height), edge],
    }
}

/// Returns the filter with this number in Pillow.
fn filter(number: u32) -> Result<Filter, ModelError> {
    match number {
        1 => Ok(Filter::Lanczos),
        2 => Ok(Filter::Bilinear),
        3 => Ok(Filter::Bicubic),
        _ => Err(fault(
            "resample",
            format!("{number} is not one of 1 (Lanczos), 2 (bilinear), 3 (bicubic)"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<Processor, ModelError> {
        Processor::read(Some(json.as_bytes()), Defaults::Dinov2)
    }

    #[test]
    fn the_longer_edge_keeps_its_proportion_and_the_middle_is_cut_out() {
        let processor = Defaults::Dinov2.processor();
        let picture = Picture::new(40, 30, vec![128; 3600]).unwrap();
        let pixels = processor.apply(&picture).unwrap();
        assert_eq!(pixels.resized_px, [341, 256]);
        assert_eq!(pixels.corner_px, [58, 16]);
        assert_eq!((pixels.width, pixels.height), (224, 224));
        let first = (128.0 / 255.0 - 0.485) / 0.229;
        assert!((pixels.data[0] - first).abs() < 1e-6);
    }

    #[test]
    fn a_part_that_is_larger_than_the_picture_is_padded_with_black() {
        let json = r#"{"do_resize": false, "crop_size": 4, "do_normalize": false}"#;
        let picture = Picture::new(1, 2, vec![255; 6]).unwrap();
        let pixels = read(json).unwrap().apply(&picture).unwrap();
        assert_eq!(pixels.corner_px, [-2, -1]);
        let white: Vec<usize> = (0..16).filter(|&at| pixels.data[at] == 1.0).collect();
        assert_eq!(white, [6, 10]);
    }

    #[test]
    fn a_missing_file_is_said() {
        let assumed = Processor::read(None, Defaults::Vit { size: [32, 48] }).unwrap();
        assert_eq!(
            assumed.note().unwrap(),
            "preprocessor_config.json: it is missing; pictures are resized to 48 × 32 pixels, normalised by [0.5, 0.5, 0.5] \
             and [0.5, 0.5, 0.5]"
        );
        assert_eq!(read("{}").unwrap().note(), None);
    }

    #[test]
    fn faults_are_named_by_their_field() {
        for (json, part) in [
            (r#"{"resample": 0}"#, "`resample`: 0 is not one of"),
            (
                r#"{"size": {"longest_edge": 5, "shortest_edge": 4}}"#,
                "`size`: longest_edge",
            ),
            (r#"{"size": {"depth": 5}}"#, "`size`"),
            (r#"{"size": 0}"#, "`size`: 0 is not a number of pixels"),
            (r#"{"image_std": [0, 1, 1]}"#, "`image_std`"),
            (r#"{"crop_size": "big"}"#, "`crop_size`"),
            (
                r#"{"image_processor_type": "CLIPImageProcessor"}"#,
                "`image_processor_type`: CLIPImageProcessor is not one of ViTImageProcessor",
            ),
            ("[", "no JSON object"),
        ] {
            let message = read(json).unwrap_err().to_string();
            assert!(
                message.starts_with("preprocessor_config.json: "),
                "{message}"
            );
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn a_picture_that_is_too_narrow_is_refused() {
        let picture = Picture::new(1, 1000, vec![0; 3000]).unwrap();
        let message = Defaults::Dinov2.processor().apply(&picture);
        let message = message.unwrap_err().to_string();
        assert!(
            message.contains("1 × 1000 pixels it would have 256 × 256000"),
            "{message}"
        );
    }
}
