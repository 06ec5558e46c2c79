// A TikZ file through LuaLaTeX to PDF, and what Poppler, another program, finds drawn and written in the PDF.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const MM_PER_POINT = 25.4 / 72;

/** A page of whole points around the picture alone. A character that no font has is an error. */
const page = (picture, font) => String.raw`
\documentclass{article}
\directlua{luaotfload.add_fallback("others", {"${font}:mode=node;"})}
\usepackage{fontspec}
\setmainfont{lmroman10-regular.otf}[RawFeature={fallback=others}]
\usepackage{pgfplots} \pgfplotsset{compat=1.18}
\tracinglostchars=3
\begin{document}
\setbox0=\hbox{\input{${picture}}}
\def\points#1{\directlua{tex.print(math.ceil((#1) / tex.sp("1bp")))}bp}
\pagewidth=\points{tex.box[0].width}
\pageheight=\points{tex.box[0].height + tex.box[0].depth}
\hoffset=-1in \voffset=-1in
\shipout\box0
\end{document}
`;

/** pdfLaTeX with its own fonts, as papers have it. */
const plainPage = (picture) => String.raw`
\documentclass{article}
\usepackage{pgfplots} \pgfplotsset{compat=1.18}
\begin{document}
\setbox0=\hbox{\input{${picture}}}
\pdfpagewidth=\wd0 \pdfpageheight=\dimexpr\ht0+\dp0\relax
\hoffset=-1in \voffset=-1in
\shipout\box0
\end{document}
`;

/**
 * Compiles a picture. Returns the size of its page in millimetres, its text without spaces, and its shapes in the order in which they are drawn:
 * `{ fill, stroke, width, opacity, points }`, colours as `[red, green, blue]` from 0 to 255, lengths in millimetres from the top left.
 */
export function typeset(picture, directory, tex = "lualatex") {
  const source = join(directory, "page.tex");
  const at = picture.replaceAll("\\", "/");
  writeFileSync(source, tex === "lualatex" ? page(at, chineseFont()) : plainPage(at));
  run(tex, ["-interaction=nonstopmode", "-halt-on-error", "page.tex"], directory);
  run("pdftocairo", ["-svg", "page.pdf", "page.svg"], directory);
  // In the order in which it is drawn, so that labels stay together.
  run("pdftotext", ["-raw", "page.pdf", "page.txt"], directory);
  const svg = readFileSync(join(directory, "page.svg"), "utf8");
  const [, width, height] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg).map(Number);
  return {
    width: width * MM_PER_POINT,
    height: height * MM_PER_POINT,
    text: readFileSync(join(directory, "page.txt"), "utf8").replaceAll(/\s/g, ""),
    shapes: shapesOf(svg),
  };
}

function run(program, programArguments, directory) {
  try {
    return execFileSync(program, programArguments, { cwd: directory, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    const said = `${error.stdout ?? ""}${error.stderr ?? ""}`.trim().split("\n");
    throw new Error(`${program}: ${error.message}\n${said.slice(-30).join("\n")}`);
  }
}

/** A font with Chinese characters, as luaotfload names it. */
function chineseFont() {
  const fonts = run("fc-list", ["--format=[%{file}](%{index})\n", ":lang=zh-cn:outline=true"], ".").split("\n");
  const [first] = fonts.filter((font) => /\.(ttf|otf|ttc)\]/.test(font)).sort();
  if (!first) throw new Error("there is no font with Chinese characters");
  return first;
}

/** Cairo's older versions write styles, its newer ones attributes. */
function property(element, name) {
  return new RegExp(`[\\s";]${name}(?:="|:)\\s*([^;"]*)`).exec(element)?.[1].trim();
}

function shapesOf(svg) {
  const drawn = svg.slice(svg.lastIndexOf("</defs>"));
  const shapes = [];
  for (const [element] of drawn.matchAll(/<path\s[^>]*>/g)) {
    const [a, b, c, d, e, f] = /matrix\(([^)]*)\)/.exec(element)?.[1].split(/[\s,]+/).map(Number) ?? [1, 0, 0, 1, 0, 0];
    const path = property(element, "d").match(/-?[\d.]+(?:e-?\d+)?/g).map(Number);
    const points = [];
    for (let place = 0; place < path.length; place += 2) {
      const [x, y] = [path[place], path[place + 1]];
      points.push([a * x + c * y + e, b * x + d * y + f].map((points) => points * MM_PER_POINT));
    }
    shapes.push({
      fill: color(property(element, "fill")),
      stroke: color(property(element, "stroke")),
      width: Number(property(element, "stroke-width") ?? 0) * Math.abs(a) * MM_PER_POINT,
      opacity: Number(property(element, "stroke-opacity") ?? 1),
      points,
    });
  }
  return shapes;
}

function color(value) {
  const parts = /^rgb\(([^)]*)\)/.exec(value ?? "")?.[1].split(",");
  return parts?.map((part) => (part.trim().endsWith("%") ? 2.55 : 1) * parseFloat(part));
}
