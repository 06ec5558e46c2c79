// Kernels of the GPU made wrong where the browser compiles their shaders, one at a time.

/** How a kernel goes wrong: by a twentieth, or altogether. */
export type Fault = "wrong" | "NaN";

interface Kernel {
  /** What stands in this kernel's source and in no other's. */
  marks: RegExp[];
  /** What does not. */
  lacks?: RegExp;
  /** Where results are stored: what stands before the value, and the value. */
  store: RegExp;
}

const SUM = /( = )(sum[\d_]*)(?=;)/g;
const MATRIX = /weight: array<vec4<f32>>/;
const TABLE = /table: array<vec4<f32>>/;
const BIAS = /> bias: array/;
const MANY_ROWS = /min\(row \+ 0u/;
const FEW_ROWS = /let row = id\.y;/;
const GAIN = /gamma: array/;
const NORMALISED = /(\] = )(\(x\[start \+ i\] - mean\) \* factor \* gamma\[i\])/g;

/** The kernels of `model/src/kernels/gpu` that checkpoints in f32 use, by their names there. */
export const KERNELS: Record<string, Kernel> = {
  linear: { marks: [MATRIX, MANY_ROWS], lacks: BIAS, store: SUM },
  linear_bias: { marks: [MATRIX, MANY_ROWS, BIAS], store: SUM },
  linear_row: { marks: [MATRIX, FEW_ROWS], lacks: BIAS, store: SUM },
  linear_row_bias: { marks: [MATRIX, FEW_ROWS, BIAS], store: SUM },
  transposed: { marks: [TABLE, MANY_ROWS], store: SUM },
  transposed_row: { marks: [TABLE, FEW_ROWS], store: SUM },
  scores: { marks: [/scores: array<f32>/], store: /( = )(sum[\d_]+ \* scale)(?=;)/g },
  softmax: { marks: [/Softmax of each row in place/], store: /( \/= )(sum)(?=;)/g },
  values: { marks: [/value: array<vec4<f32>>/], store: SUM },
  rms_norm: { marks: [GAIN], lacks: /beta: array/, store: NORMALISED },
  layer_norm: { marks: [GAIN, /beta: array/], store: NORMALISED },
  swiglu: { marks: [/up: array<vec4<f32>>/], store: /(\] = )(g)(?= \/)/g },
  rotate: { marks: [/cosine: array<f32>/], store: /(\] = )(first \* cosine\[angle\])/g },
};

/** A script to run before an engine's: its kernel `name` then computes wrongly. */
export function faulty(name: string, fault: Fault): string {
  const kernel = KERNELS[name];
  if (kernel === undefined) throw new Error(`there is no kernel ${name}`);
  const { marks, lacks, store } = kernel;
  // NaN may not be written as a constant expression; a variable is read when the shader runs.
  const factor = fault === "wrong" ? "1.05" : "bitcast<f32>(nan_bits)";
  return `{
    const create = GPUDevice.prototype.createShaderModule;
    GPUDevice.prototype.createShaderModule = function (description) {
      let { code } = description;
      const is = [${marks}].every((mark) => mark.test(code)) && !${lacks ?? /(?!)/}.test(code);
      if (is) {
        const spoilt = code.replace(${store}, "$1($2) * ${factor}");
        if (spoilt === code) throw new Error("nothing to spoil in ${name}");
        code = "var<private> nan_bits: u32 = 0x7fc00000u;\\n" + spoilt;
      }
      return create.call(this, { ...description, code });
    };
  }`;
}
