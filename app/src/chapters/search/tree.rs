//! A tree of beginnings on the page: branches as a drawing, nodes as buttons.

use attention_figures::{
    model_map::Rect,
    tree::{TreeLayout, TreeSizes},
};
use leptos::prelude::*;

use crate::widgets::ScrollRegion;

/// How a node looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// It was kept.
    Kept,
    /// It was dropped.
    Pruned,
    /// It is a whole sequence.
    Finished,
    /// It is on the way to the best result, or is it.
    Best,
}

/// A node.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeNode {
    /// Tells it from others, also after another search: its tokens.
    pub key: String,
    /// Its parent, which stands before it.
    pub parent: Option<usize>,
    /// How many tokens it has.
    pub length: usize,
    /// What its last token is called.
    pub name: String,
    /// Its number.
    pub number: String,
    /// All of it in words.
    pub words: String,
    /// How it looks.
    pub look: Look,
    /// Whether it is part of what is forced.
    pub is_forced: bool,
}

impl TreeNode {
    fn class(&self) -> &'static str {
        match self.look {
            Look::Kept => "tree-node",
            Look::Pruned => "tree-node pruned",
            Look::Finished => "tree-node finished",
            Look::Best => "tree-node best",
        }
    }
}

/// A node, where it lies and the branch to it.
#[derive(Clone, PartialEq)]
struct Placed {
    node: TreeNode,
    rect: Rect,
    branch: String,
}

/// The tree, up to the nodes of `shown` tokens. Its size is that of the whole tree, so that nothing moves as it grows.
#[component]
pub fn TreeFigure(
    /// What it is.
    #[prop(into)]
    name: Signal<String>,
    /// For tests.
    test_id: &'static str,
    /// The nodes.
    #[prop(into)]
    nodes: Signal<Vec<TreeNode>>,
    /// The most tokens of a node that is shown.
    #[prop(into)]
    shown: Signal<usize>,
    /// Called with the key of a node that is chosen.
    #[prop(into)]
    choose: Callback<String>,
) -> impl IntoView {
    let layout = Memo::new(move |_| {
        let parents: Vec<_> = nodes.read().iter().map(|node| node.parent).collect();
        TreeLayout::of(&parents, TreeSizes::default())
    });
    let placed = Memo::new(move |_| {
        let (layout, shown) = (layout.get(), shown.get());
        let lies = layout.nodes.into_iter().zip(layout.branches);
        let nodes = nodes.get().into_iter().zip(lies);
        let placed = nodes.map(|(node, (rect, branch))| Placed { node, rect, branch });
        placed
            .filter(|placed| placed.node.length <= shown)
            .collect::<Vec<_>>()
    });
    let view_box = move || {
        let layout = layout.read();
        format!("0 0 {:.1} {:.1}", layout.width, layout.height)
    };
    let size = move || {
        let layout = layout.read();
        format!(
            "width: {}; height: {}",
            scaled(layout.width),
            scaled(layout.height)
        )
    };
    let root = move || layout.with(|layout| place(&layout.root));
    view! {
        <ScrollRegion class="tree-room" test_id name>
            <div class="tree" role="group" aria-label=name style=size>
                <svg viewBox=view_box aria-hidden="true">
                    {move || placed.get().into_iter().map(|placed| view! {
                        <path class:pruned=placed.node.look == Look::Pruned d=placed.branch />
                    }).collect_view()}
                </svg>
                <span class="tree-root" aria-hidden="true" style=root></span>
                <For
                    each=move || placed.get()
                    key=|placed| placed.node.key.clone()
                    children=move |first| view! { <NodeButton placed first choose /> }
                />
            </div>
        </ScrollRegion>
    }
}

/// A node's button. It stays, and with it the focus, as long as there is a node with its tokens.
#[component]
fn NodeButton(placed: Memo<Vec<Placed>>, first: Placed, choose: Callback<String>) -> impl IntoView {
    let key = first.node.key.clone();
    let own = key.clone();
    let now = Memo::new(move |_| {
        let placed = placed.read();
        let found = placed.iter().find(|placed| placed.node.key == own);
        found.unwrap_or(&first).clone()
    });
    let data_tokens = key.clone();
    view! {
        <button
            type="button"
            class=move || now.read().node.class()
            data-testid="tree-node"
            data-tokens=data_tokens
            aria-pressed=move || now.read().node.is_forced.to_string()
            aria-label=move || now.read().node.words.clone()
            title=move || now.read().node.words.clone()
            style=move || place(&now.read().rect)
            on:click=move |_| choose.run(key.clone())
        >
            <span class="tree-name">{move || now.read().node.name.clone()}</span>
            <span class="tree-number number">{move || now.read().node.number.clone()}</span>
        </button>
    }
}

/// A length that grows with large type.
fn scaled(pixels: f64) -> String {
    format!("calc({pixels:.1}px * var(--type))")
}

fn place(rect: &Rect) -> String {
    format!(
        "left: {}; top: {}; width: {}; height: {}",
        scaled(rect.x),
        scaled(rect.y),
        scaled(rect.width),
        scaled(rect.height)
    )
}
