//! Reading a picture from a file.

use std::io::Cursor;
use std::path::Path;

use image::{DynamicImage, ImageDecoder, ImageReader};

use super::Picture;
use crate::error::ModelError;
use crate::files::{LARGEST_DATA, read_any};

/// Reads a PNG or JPEG file, turned as its EXIF data says.
///
/// # Errors
/// If the file cannot be read, or is no such picture.
pub fn open(path: &Path) -> Result<Picture, ModelError> {
    let bytes = read_any(path, LARGEST_DATA)?;
    let refused = |error: image::ImageError| {
        ModelError::Picture(format!(
            "{} is no PNG or JPEG picture: {error}",
            path.display()
        ))
    };
    let unreadable = |source| ModelError::File {
        path: path.display().to_string(),
        source,
    };
    let reader = ImageReader::new(Cursor::new(bytes))
        .with_guessed_format()
        .map_err(unreadable)?;
    let mut decoder = reader.into_decoder().map_err(refused)?;
    let orientation = decoder.orientation().map_err(refused)?;
    let mut decoded = DynamicImage::from_decoder(decoder).map_err(refused)?;
    decoded.apply_orientation(orientation);
    let pixels = decoded.into_rgb8();
    let (width, height) = pixels.dimensions();
    Picture::new(width as usize, height as usize, pixels.into_raw())
}
