//! Series of passes: decoding with and without a cache, texts with averaged keys, and texts written under edits.

use attention_trace::{
    AttentionKind, AttentionLayer, Edit, GroupedSum, Series, SeriesQuestion, TokenTime, WrittenText,
};
use burn::prelude::*;

use super::{Decoder, ids};
use crate::checkpoint::Checkpoint;
use crate::decoding::NextToken;
use crate::error::ModelError;

impl Checkpoint {
    /// Answers a question by many passes. `now_ms` is a clock; `watch` is called with what is known after each pass and
    /// returns whether to go on.
    ///
    /// # Errors
    /// If the model keeps no keys and values, or writes nothing, a number of groups does not divide its heads of keys,
    /// [`ModelError::Cancelled`] if `watch` returns false; else as [`decode`](Checkpoint::decode) and
    /// [`force`](Checkpoint::force).
    pub async fn series(
        &self,
        question: &SeriesQuestion,
        device: &Device,
        now_ms: impl Fn() -> f64,
        watch: impl AsyncFnMut(&Series) -> bool,
    ) -> Result<Series, ModelError> {
        match question {
            SeriesQuestion::Decoding { text, tokens } => {
                self.decoding_times((text, *tokens), device, now_ms, watch)
                    .await
            }
            SeriesQuestion::Grouped { texts, groups } => {
                self.grouped_sums(texts, groups, device, watch).await
            }
            SeriesQuestion::Written {
                text,
                edits,
                tokens,
            } => {
                self.texts_under((text, *tokens), edits, device, watch)
                    .await
            }
        }
    }

    async fn decoding_times(
        &self,
        (text, tokens): (&str, usize),
        device: &Device,
        now_ms: impl Fn() -> f64,
        mut watch: impl AsyncFnMut(&Series) -> bool,
    ) -> Result<Series, ModelError> {
        let spec = self.spec();
        if spec.cached_stack().is_none() {
            return Err(keeps_nothing());
        }
        let sides = self.sides(self.encode_input(text)?, &[])?;
        let source = sides.source.map(|source| ids(&source));
        let mut read = ids(&sides.target.unwrap_or_default());
        let total = tokens.min(spec.room(read.len()));
        let decoder = || {
            Decoder::new(&*self.model, source.as_deref(), &[], device).with_backing(&self.backing)
        };
        let (mut cached, mut recomputed) = (decoder(), decoder());
        // The first pass of each compiles kernels and takes memory: it is not measured.
        recomputed.begin(&read).await?;
        let mut logits = cached.begin(&read).await?;
        let mut times = Vec::with_capacity(total);
        while times.len() < total {
            let token = self.most_probable(&logits)?;
            read.push(token);
            let began_ms = now_ms();
            let rows = cached.step(&[token]).await?;
            let cached_ms = now_ms() - began_ms;
            logits = crate::decoding::one(rows)?;
            let began_ms = now_ms();
            recomputed.begin(&read).await?;
            times.push(TokenTime {
                read: read.len(),
                cached_ms,
                recomputed_ms: now_ms() - began_ms,
            });
            let so_far = Series::Times {
                times: times.clone(),
                total,
            };
            if !watch(&so_far).await {
                return Err(ModelError::Cancelled);
            }
        }
        Ok(Series::Times { times, total })
    }

    /// Returns the most probable token that does not end the text.
    fn most_probable(&self, logits: &[f32]) -> Result<u32, ModelError> {
        let rules = &self.control().rules;
        let never = rules.never();
        let tokens = (0..logits.len() as u32)
            .filter(|token| !rules.is_end(*token) && !never.contains(token));
        let best =
            tokens.max_by(|&one, &other| logits[one as usize].total_cmp(&logits[other as usize]));
        best.ok_or(ModelError::NothingAllowed(1))
    }

    async fn grouped_sums(
        &self,
        texts: &[String],
        groups: &[usize],
        device: &Device,
        mut watch: impl AsyncFnMut(&Series) -> bool,
    ) -> Result<Series, ModelError> {
        let spec = self.spec();
        let stack = spec.cached_stack().ok_or_else(keeps_nothing)?;
        let total = texts.len() * groups.len();
        let mut sums = Vec::with_capacity(groups.len());
        for &groups in groups {
            let grouped = |layer| Edit::GroupKeyValues {
                attention: AttentionLayer {
                    kind: AttentionKind::DecoderSelf,
                    layer,
                },
                groups,
            };
            let edits: Vec<Edit> = (0..stack.layers).map(grouped).collect();
            sums.push(GroupedSum {
                groups,
                texts: 0,
                tokens: 0,
                log_probability: 0.0,
            });
            for text in texts {
                let forced = self.force("", text, &edits, device).await?;
                let scores = forced.iter().map(|token| token.given.log_probability);
                if let Some(sum) = sums.last_mut() {
                    sum.texts += 1;
                    sum.tokens += forced.len();
                    sum.log_probability += scores.map(f64::from).sum::<f64>();
                }
                let so_far = Series::LogProbabilities {
                    sums: sums.clone(),
                    total,
                };
                if !watch(&so_far).await {
                    return Err(ModelError::Cancelled);
                }
            }
        }
        Ok(Series::LogProbabilities { sums, total })
    }

    async fn texts_under(
        &self,
        (text, max_new_tokens): (&str, usize),
        edits: &[Vec<Edit>],
        device: &Device,
        mut watch: impl AsyncFnMut(&Series) -> bool,
    ) -> Result<Series, ModelError> {
        if self.spec().decoder.is_none() {
            return Err(ModelError::Unsupported(
                "a model without a decoder writes no text".into(),
            ));
        }
        let total = edits.len();
        let mut texts: Vec<WrittenText> = Vec::with_capacity(total);
        for edits in edits {
            let mut tokens = 0;
            let mut go_on = async || {
                tokens += 1;
                let growing = WrittenText {
                    tokens,
                    ..WrittenText::default()
                };
                let texts = texts.iter().cloned().chain([growing]).collect();
                watch(&Series::Texts { texts, total }).await
            };
            let written = self.written(text, &[], edits, max_new_tokens, device, &mut go_on);
            let written = written.await?;
            texts.push(WrittenText {
                tokens: written.len(),
                text: self.tokenizer.decode(&written)?,
                is_done: true,
            });
        }
        Ok(Series::Texts { texts, total })
    }
}

/// The error for a model that does not decode with a cache of keys and values.
fn keeps_nothing() -> ModelError {
    ModelError::Unsupported("a model without causal self-attention keeps no keys and values".into())
}
