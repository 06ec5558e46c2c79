//! An engine for browsers without fused multiply-add, made from the one for browsers that have it. Compiled for itself it
//! would be its kernels and a link once more, a minute and a half of one core, and differ in nothing else.

use walrus::{
    LocalId, Module, RawCustomSection, ValType,
    ir::{
        BinaryOp, Binop, Instr, InstrSeq, LocalGet, LocalSet, TernOp, TernaryOp, VisitorMut,
        dfs_pre_order_mut,
    },
};
use wasmparser::{Validator, WasmFeatures};

use crate::error::Error;

/// The WebAssembly proposal that fused multiply-add came with, as compilers call it.
const FEATURE: &str = "relaxed-simd";

/// The section that lists what a module needs of the processor.
const FEATURES: &str = "target_features";

/// The same module with the instructions that each of the proposal's may stand for, of those that processors agree on: a
/// product and a sum for fused multiply-add, and minimum and maximum with the rules of IEEE 754. A browser may run the
/// proposal's like that too, so kernels reckon with both.
///
/// # Errors
/// If it is no module, or has other instructions of the proposal. `name` is for the message.
pub fn unfused(name: &'static str, module: &[u8]) -> Result<Vec<u8>, Error> {
    let failed = |source| Error::Unfused { name, source };
    let mut module = Module::from_buffer(module).map_err(|error| failed(error.into()))?;
    for (_, function) in module.funcs.iter_local_mut() {
        let addend = module.locals.add(ValType::V128);
        let start = function.entry_block();
        dfs_pre_order_mut(&mut Unfuse { addend }, function, start);
    }
    if let Some(needed) = module.customs.remove_raw(FEATURES) {
        module.customs.add(RawCustomSection {
            data: without(FEATURE, &needed.data),
            ..needed
        });
    }
    let module = module.emit_wasm();
    let without_it = WasmFeatures::default().difference(WasmFeatures::RELAXED_SIMD);
    Validator::new_with_features(without_it)
        .validate_all(&module)
        .map_err(|error| failed(error.into()))?;
    Ok(module)
}

struct Unfuse {
    /// Holds what is added while the product is made.
    addend: LocalId,
}

impl Unfuse {
    /// The instructions in the place of one; `None` if it stays.
    fn instead_of(&self, instruction: &Instr) -> Option<Vec<Instr>> {
        let local = self.addend;
        let binary = |op| Instr::from(Binop { op });
        match instruction {
            Instr::TernOp(TernOp {
                op: TernaryOp::F32x4RelaxedMadd,
            }) => Some(vec![
                LocalSet { local }.into(),
                binary(BinaryOp::F32x4Mul),
                LocalGet { local }.into(),
                binary(BinaryOp::F32x4Add),
            ]),
            Instr::Binop(Binop {
                op: BinaryOp::F32x4RelaxedMin,
            }) => Some(vec![binary(BinaryOp::F32x4Min)]),
            Instr::Binop(Binop {
                op: BinaryOp::F32x4RelaxedMax,
            }) => Some(vec![binary(BinaryOp::F32x4Max)]),
            _ => None,
        }
    }
}

impl VisitorMut for Unfuse {
    fn start_instr_seq_mut(&mut self, sequence: &mut InstrSeq) {
        let stays = |(instruction, _): &(Instr, _)| self.instead_of(instruction).is_none();
        if sequence.instrs.iter().all(stays) {
            return;
        }
        for (instruction, place) in std::mem::take(&mut sequence.instrs) {
            let instead = self.instead_of(&instruction);
            let parts = instead.unwrap_or_else(|| vec![instruction]);
            sequence
                .instrs
                .extend(parts.into_iter().map(|part| (part, place)));
        }
    }
}

/// The list of features without one: their number, then of each a sign, the length of its name and the name. Numbers
/// below 128 are one byte, and none is larger. A list that breaks off is left where it does.
fn without(feature: &str, list: &[u8]) -> Vec<u8> {
    let mut kept = vec![0];
    let mut rest = list.get(1..).unwrap_or_default();
    while let Some(length) = rest.get(1) {
        let (one, others) = rest.split_at((2 + usize::from(*length)).min(rest.len()));
        if one.get(2..) != Some(feature.as_bytes()) {
            kept.extend(one);
            kept[0] += 1;
        }
        rest = others;
    }
    kept
}

#[cfg(test)]
mod tests {
    use walrus::{FunctionBuilder, ir::Value};

    use super::*;

    /// A module whose function does one thing to three vectors and two to what comes out, in a loop.
    fn module(operation: TernaryOp) -> Vec<u8> {
        let mut module = Module::default();
        let vector = ValType::V128;
        let mut function =
            FunctionBuilder::new(&mut module.types, &[vector, vector, vector], &[vector]);
        let arguments = [0; 3].map(|_| module.locals.add(vector));
        function.func_body().loop_(vector, |body| {
            for argument in arguments {
                body.local_get(argument);
            }
            body.tern_op(operation)
                .const_(Value::V128(0))
                .binop(BinaryOp::F32x4RelaxedMin)
                .const_(Value::V128(1))
                .binop(BinaryOp::F32x4RelaxedMax);
        });
        let function = function.finish(arguments.to_vec(), &mut module.funcs);
        module.exports.add("multiply_add", function);
        module.customs.add(RawCustomSection {
            name: FEATURES.to_owned(),
            data: b"\x02+\x0crelaxed-simd+\x07simd128".to_vec(),
        });
        module.emit_wasm()
    }

    fn text(module: &[u8]) -> String {
        let mut module = Module::from_buffer(module).expect("valid");
        let needed = module.customs.remove_raw(FEATURES).map(|list| list.data);
        let (_, function) = module.funcs.iter_local().next().expect("one function");
        let mut instructions = Vec::new();
        let mut all = vec![function.entry_block()];
        while let Some(sequence) = all.pop() {
            for (instruction, _) in &function.block(sequence).instrs {
                match instruction {
                    Instr::Loop(body) => all.push(body.seq),
                    Instr::Binop(Binop { op }) => instructions.push(format!("{op:?}")),
                    Instr::TernOp(TernOp { op }) => instructions.push(format!("{op:?}")),
                    Instr::LocalGet(_) => instructions.push("get".to_owned()),
                    Instr::LocalSet(_) => instructions.push("set".to_owned()),
                    _ => {}
                }
            }
        }
        let needed = needed.map(|list| list.escape_ascii().to_string());
        format!("{} {}", instructions.join(" "), needed.unwrap_or_default())
    }

    #[test]
    fn each_instruction_becomes_what_it_may_stand_for() -> Result<(), Error> {
        let fused = module(TernaryOp::F32x4RelaxedMadd);
        assert_eq!(
            text(&fused),
            "get get get F32x4RelaxedMadd F32x4RelaxedMin F32x4RelaxedMax \\x02+\\x0crelaxed-simd+\\x07simd128"
        );
        assert_eq!(
            text(&unfused("engine", &fused)?),
            "get get get set F32x4Mul get F32x4Add F32x4Min F32x4Max \\x01+\\x07simd128"
        );
        Ok(())
    }

    #[test]
    fn another_instruction_of_the_proposal_is_an_error() {
        let outcome = unfused("engine", &module(TernaryOp::F64x2RelaxedMadd));
        assert!(matches!(outcome, Err(Error::Unfused { .. })), "{outcome:?}");
        let outcome = unfused("engine", b"no module");
        assert!(matches!(outcome, Err(Error::Unfused { .. })), "{outcome:?}");
    }
}
