// The colours of the page's figures. A test of the crate `attention-figures` compares them with the page's own.

/** Colours of weights from 0 to 1 in 256 steps, each as six hexadecimal digits. */
export const SCALES = {
  light:
    "f6fbfdf4fafdf2fafcf1f9fceff8fcedf8fbebf7fbeaf7fbe8f6fae6f5fae4f5fae2f4f9e1f3f9dff3f8ddf2f8dbf1f8" +
    "d9f1f7d8f0f7d6eff7d4eff6d2eef6d0edf5ceedf5cdecf5cbecf4c9ebf4c7eaf4c5eaf3c3e9f3c2e8f2c0e8f2bee7f2" +
    "bce6f1bae6f1b8e5f1b6e4f0b4e4f0b3e3efb1e2efafe2efade1eeabe0eea9e0eea7dfeda5deeda3deeca1ddec9fdcec" +
    "9edbeb9ddbeb9bdaeb9ad9eb98d8ea97d7ea96d6ea94d5e993d4e991d3e990d3e88fd2e88dd1e88cd0e88acfe789cee7" +
    "88cde786cce685cbe683cbe682cae580c9e57fc8e57dc7e57cc6e47bc5e479c4e478c3e376c3e375c2e373c1e272c0e2" +
    "70bfe26fbee16dbde16cbce16abce069bbe067bae066b9e064b8df63b7df61b6df60b5de5eb4de5db4de5bb3dd59b2dd" +
    "58b1dd56b0dc55afdc53aedc51addb50acdb4eabdb4cabda4baada49a9da47a8d945a7d943a6d842a5d840a4d83ea3d7" +
    "3da2d73da1d63ca0d63c9fd53c9ed53b9dd43b9cd33b9bd33a9ad23a99d23998d13997d13996d03895cf3894cf3893ce" +
    "3792ce3791cd3690cd368fcc368ecb358dcb358cca358aca3489c93488c83487c83386c73385c73384c63283c63282c5" +
    "3281c43180c4317fc3317ec3307dc2307cc1307bc12f7ac02f79c02f78bf2f77be2e76be2e75bd2e74bd2d73bc2d72bc" +
    "2d71bb2c70ba2c6fba2c6eb92c6db92b6bb82b6ab72b69b72b68b62a67b62a66b52a65b42a64b42963b32962b32961b2" +
    "2960b1285fb1285eb0285db0285caf275bae275aae2759ad2758ab2757aa2756a92755a82754a72753a62753a42752a3" +
    "2751a22750a1274fa0274e9f274d9e274c9c264b9b264a9a264999264998264897264795264694264593264492264391" +
    "26429025418f25418e25408c253f8b253e8a253d89253c88253b87253a86243a8524398324388224378124368024357f" +
    "23347e23337d23337c23327b233179233078222f77222e76222d75222c74222c73222b72212a7121297021286f21276d" +
    "21266c20256b20256a2024692023682022671f21661f20651f1f641f1f631e1e621e1d611e1c601e1b5e1d1a5d1d195c",
  dark:
    "191e271a1f281a1f2a1a202b1b212d1b212e1b22301b23311c23331c24341c24361c25371d26391d263a1d273c1e283d" +
    "1e283f1e29401e29421f2a431f2b451f2b461f2c48202c4a202d4b202e4d212e4e212f50213051213053223155223156" +
    "22325822335923335b23345d23345e24356024366124366324376525376625386825396a26396b263a6d263a6f263b70" +
    "273c72273c74273d75273d77283e79283f7a283f7c29407e29417f2942802943812944822945832a46842a47852a4886" +
    "2a49872a4a892a4b8a2a4c8b2b4d8c2b4e8d2b4f8e2b508f2b51902b52912b53922b54932b55942b56952c57962c5897" +
    "2c59982c5a992c5b9a2c5c9b2c5d9c2c5e9d2c5f9e2c619f2c62a02c63a12c64a32c65a42c66a52c67a62c68a72c69a8" +
    "2c6aa92c6baa2c6cab2c6dac2c6ead2c6fae2c70af2c72b02c73b12c74b22c75b32c76b52c77b62c78b72c79b82b7ab9" +
    "2b7bba2b7cbb2b7dbc2b7ebd2b80be2b81bf2b82bf2c83c02c84c02c85c02d86c02d87c12e89c12e8ac12e8bc22f8cc2" +
    "2f8dc2308ec3308fc33090c33191c33193c43294c43295c43396c53397c53398c53499c5349ac6359bc6359dc6369ec6" +
    "369fc737a0c737a1c738a2c838a3c839a4c839a6c83aa7c93aa8c93ba9c93baac93cabca3cacca3dadca3daeca3eb0cb" +
    "3eb1cb3fb2cb3fb3cb40b4cc40b5cc41b6cc41b7cc42b8cc42bacd43bbcd43bccd44bdcd45bece45bfce46c0ce46c1ce" +
    "47c3cf47c4cf48c5cf48c6cf49c7cf4ac8d04ac9d04ecad051cbcf55cbcf58cccf5bcdcf5ecdce61cece64cfce67cfce" +
    "6ad0cd6dd1cd70d1cd72d2cc75d3cc77d4cc7ad4cc7dd5cb7fd6cb82d6cb84d7ca86d7ca89d8ca8bd9ca8ed9c990dac9" +
    "92dbc995dbc897dcc899ddc89bddc79edec7a0dfc7a2dfc6a4e0c6a7e1c6a9e1c5abe2c5ade2c4afe3c4b1e4c4b4e4c3" +
    "b6e5c3b8e6c3bae6c2bce7c2bee7c1c0e8c1c2e9c1c4e9c0c6eac0c8ebbfcaebbfcdecbfcfecbed1edbed3eebdd5eebd" +
    "d7efbcd9efbcdbf0bbddf1bbdff1bae1f2bae3f2bae5f3b9e7f4b9e9f4b8ebf5b8edf5b7eff6b7f1f6b6f3f7b5f5f8b5",
};

/** Colours of the chosen query, of a key with weight 1, and of the page behind them. */
export const SHADES = {
  light: { query: "#c82626", key: "#1752be", page: "#fafeff", ink: "#2b2e32" },
  dark: { query: "#f05c54", key: "#60a5fa", page: "#15171b", ink: "#dbdee3" },
};

const channels = (hex) => [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16));

/** The scale of a theme as 256 colours `[red, green, blue]`. */
export function scaleOf(theme) {
  const digits = SCALES[theme];
  return Array.from({ length: 256 }, (_, index) => channels(digits.slice(6 * index, 6 * index + 6)));
}

/** Returns the place of a weight in the scale; weights outside of 0 to 1 get the colour of the nearer end. */
export function stepOf(weight) {
  return Math.floor(Math.min(Math.max(weight, 0), 1) * 255 + 0.5);
}

/** Returns a map as pixels, one for each weight. */
export function pixels(values, width, height, theme) {
  const scale = scaleOf(theme);
  const image = new ImageData(width, height);
  for (const [index, value] of values.entries()) {
    image.data.set(scale[stepOf(value)], 4 * index);
    image.data[4 * index + 3] = 255;
  }
  return image;
}

/** Returns the background and the ink of a key that gets this weight, or of the chosen query. */
export function shade(weight, isQuery, theme) {
  const { query, key, page } = SHADES[theme];
  const over = channels((isQuery ? query : key).slice(1));
  const opacity = isQuery ? 1 : Math.min(Math.max(weight, 0), 1);
  const under = channels(page.slice(1));
  const mixed = over.map((value, index) => Math.round(value * opacity + under[index] * (1 - opacity)));
  return { background: css(mixed), ink: inkOn(mixed) };
}

/** Returns black or white, whichever stands out more from a colour. */
function inkOn(color) {
  const [red, green, blue] = color.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05 ? "#ffffff" : "#000000";
}

export function css(color) {
  return `#${color.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

/** Returns the scale as a gradient of CSS, for a legend. */
export function gradient(theme) {
  const scale = scaleOf(theme);
  const stops = Array.from({ length: 17 }, (_, index) => css(scale[Math.round((index * 255) / 16)]));
  return `linear-gradient(to right, ${stops.join(", ")})`;
}
