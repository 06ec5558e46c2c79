//! A tree of prefixes on the page: branches as a drawing, nodes as buttons.

use attention_figures::{
    export::{Content, Prefix, PrefixFate, Prefixes},
    model_map::Rect,
    tree::{TreeLayout, TreeSizes},
};
use leptos::prelude::*;

use attention_core::{
    i18n::{t_string, use_i18n},
    widgets::{FigureButton, ScrollRegion, Taken},
};

/// The look of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// A node that was kept.
    Kept,
    /// A node that was dropped.
    Pruned,
    /// A whole sequence with its end.
    Finished,
    /// The best result, or a node on the path to it.
    Best,
}

#[derive(Clone, Debug, PartialEq)]
pub struct TreeNode {
    /// The key that identifies the node, also after another search: its tokens.
    pub key: String,
    /// The index of its parent, which precedes it in the list.
    pub parent: Option<usize>,
    /// The number of tokens in the prefix.
    pub length: usize,
    /// The name of its last token.
    pub name: String,
    pub number: String,
    /// The sum of log-probabilities; `None` if the run did not report it.
    pub log_probability: Option<f32>,
    /// The score of a whole sequence.
    pub score: Option<f32>,
    pub words: String,
    pub look: Look,
    /// True if the node is part of the forced prefix.
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

impl From<&TreeNode> for Prefix {
    fn from(node: &TreeNode) -> Self {
        Prefix {
            parent: node.parent,
            name: node.name.clone(),
            number: node.number.clone(),
            log_probability: node.log_probability,
            score: node.score,
            fate: match node.look {
                Look::Kept => PrefixFate::Kept,
                Look::Pruned => PrefixFate::Pruned,
                Look::Finished => PrefixFate::Finished,
                Look::Best => PrefixFate::Best,
            },
        }
    }
}

/// A node with its position and the branch to it.
#[derive(Clone, PartialEq)]
struct Placed {
    node: TreeNode,
    rect: Rect,
    branch: String,
}

/// A tree as far as it has grown.
#[derive(Clone, PartialEq)]
struct Grown {
    width: f64,
    height: f64,
    root: Rect,
    nodes: Vec<Placed>,
}

impl Grown {
    /// The nodes of at most `shown` tokens.
    fn of(nodes: &[TreeNode], shown: usize) -> Self {
        let nodes = up_to(nodes, shown);
        let parents: Vec<_> = nodes.iter().map(|node| node.parent).collect();
        let layout = TreeLayout::of(&parents, TreeSizes::default());
        let lies = layout.nodes.into_iter().zip(layout.branches);
        let placed = nodes
            .into_iter()
            .zip(lies)
            .map(|(node, (rect, branch))| Placed { node, rect, branch });
        Grown {
            width: layout.width,
            height: layout.height,
            root: layout.root,
            nodes: placed.collect(),
        }
    }
}

/// The nodes of at most `shown` tokens, whose parents are counted among them.
fn up_to(nodes: &[TreeNode], shown: usize) -> Vec<TreeNode> {
    let mut places = vec![None; nodes.len()];
    let mut grown: Vec<TreeNode> = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        if node.length <= shown {
            places[index] = Some(grown.len());
            let parent = node.parent.and_then(|parent| places[parent]);
            grown.push(TreeNode {
                parent,
                ..node.clone()
            });
        }
    }
    grown
}

/// The tree, up to the nodes of `shown` tokens. It takes no more room than they do: a beam of eight looks at hundreds.
#[component]
pub fn TreeFigure(
    #[prop(into)] name: Signal<String>,
    /// The `data-testid` of the tree.
    test_id: &'static str,
    #[prop(into)] nodes: Signal<Vec<TreeNode>>,
    /// The most tokens of a node that is shown.
    #[prop(into)]
    shown: Signal<usize>,
    /// Callback with the key of a node that the visitor chooses.
    #[prop(into)]
    choose: Callback<String>,
) -> impl IntoView {
    let i18n = use_i18n();
    let grown = Memo::new(move |_| Grown::of(&nodes.read(), shown.get()));
    let placed = Memo::new(move |_| grown.with(|grown| grown.nodes.clone()));
    let view_box = move || {
        let grown = grown.read();
        format!("0 0 {:.1} {:.1}", grown.width, grown.height)
    };
    let size = move || {
        let grown = grown.read();
        let (width, height) = (scaled(grown.width), scaled(grown.height));
        format!("width: {width}; height: {height}")
    };
    let root = move || grown.with(|grown| place(&grown.root));
    let take = move || {
        let grown = grown.read();
        let nodes = grown.nodes.iter().map(|placed| Prefix::from(&placed.node));
        let content = Content::Prefixes(Prefixes {
            nodes: nodes.collect(),
        });
        let sentences = vec![t_string!(i18n, export.tree_legend).to_owned()];
        Some(Taken {
            sentences,
            ..Taken::new(name.get(), content)
        })
    };
    view! {
        <div class="figure-beside">
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
            <FigureButton name take />
        </div>
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

#[cfg(test)]
mod tests {
    use super::*;

    fn node(key: &str, parent: Option<usize>, length: usize) -> TreeNode {
        TreeNode {
            key: key.to_owned(),
            parent,
            length,
            name: String::new(),
            number: String::new(),
            log_probability: None,
            score: None,
            words: String::new(),
            look: Look::Kept,
            is_forced: false,
        }
    }

    #[test]
    fn a_tree_takes_the_room_of_what_has_grown() {
        let nodes = [
            node("a", None, 1),
            node("a.b", Some(0), 2),
            node("c", None, 1),
            node("c.d", Some(2), 2),
            node("c.e", Some(2), 2),
        ];
        let first = Grown::of(&nodes, 1);
        let keys: Vec<&str> = first.nodes.iter().map(|placed| &*placed.node.key).collect();
        assert_eq!(keys, ["a", "c"]);
        let whole = Grown::of(&nodes, usize::MAX);
        assert_eq!(whole.nodes.len(), 5);
        assert!(first.width < whole.width && first.height < whole.height);
    }
}
