/// Red, green and blue in sRGB.
pub type Rgb = [u8; 3];
