//! Gradient-boosted trees as text: the lines of LightGBM's own format that an evaluation needs, with two lines before them.
//!
//! `features` names the columns, `platt` has intercept and slope of the calibration, and each tree is `Tree=`, `split_feature=`, `threshold=`,
//! `left_child=`, `right_child=` and `leaf_value=`. A row goes left where its value is at most the threshold; a negative child is a leaf, counted from
//! -1. It never takes a file that is not complete.
//!
//! Source: LightGBM 4, `Tree::ToString` and `Tree::NumericalDecision` (<https://github.com/microsoft/LightGBM>).

use std::collections::HashMap;
use std::str::FromStr;

use thiserror::Error;

use super::features::NAMES;

/// The first line of the text.
const FORMAT: &str = "model 1";

/// Why a text is no model.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TreesError {
    /// It is of another format, or for other features.
    #[error("it is no model of this format: {0}")]
    Format(&'static str),
    /// A tree lacks a line, or has one that does not fit the others.
    #[error("tree {tree}: {problem}")]
    Tree {
        /// Which one, from 0.
        tree: usize,
        /// What is wrong.
        problem: &'static str,
    },
}

/// An inner node of a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Split {
    feature: usize,
    threshold: f64,
    left: i32,
    right: i32,
}

/// A tree, whose first split is the root.
#[derive(Debug, Clone, PartialEq)]
struct Tree {
    splits: Vec<Split>,
    leaves: Vec<f64>,
}

/// Trees and the calibration of their sum.
#[derive(Debug, Clone, PartialEq)]
pub struct Trees {
    trees: Vec<Tree>,
    /// Intercept and slope, in log odds.
    pub platt: (f64, f64),
}

impl Trees {
    /// Reads the text.
    ///
    /// # Errors
    /// [`TreesError`].
    pub fn parse(text: &str) -> Result<Self, TreesError> {
        let (head, rest) = text.split_once("Tree=").ok_or(TreesError::Format("no tree"))?;
        let mut head = head.lines();
        if head.next() != Some(FORMAT) {
            return Err(TreesError::Format("another first line"));
        }
        let features = head.next().and_then(|line| line.strip_prefix("features "));
        if !features.is_some_and(|names| names.split(' ').eq(NAMES)) {
            return Err(TreesError::Format("other features"));
        }
        let platt = head.next().and_then(|line| line.strip_prefix("platt ")).and_then(list::<f64>);
        let Some([intercept, slope]) = platt.as_deref() else {
            return Err(TreesError::Format("no calibration"));
        };
        let tree =
            |(number, text)| Tree::parse(text).map_err(|problem| TreesError::Tree { tree: number, problem });
        let trees = rest.split("Tree=").enumerate().map(tree).collect::<Result<_, _>>()?;
        Ok(Self { trees, platt: (*intercept, *slope) })
    }

    /// The sum of the leaves that a row of features ends in.
    #[must_use]
    pub fn sum(&self, row: &[f64; NAMES.len()]) -> f64 {
        self.trees.iter().map(|tree| tree.leaf(row)).sum()
    }

    /// How many trees there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.trees.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.trees.is_empty()
    }
}

impl Tree {
    fn parse(text: &str) -> Result<Self, &'static str> {
        let lines: HashMap<_, _> = text.lines().filter_map(|line| line.split_once('=')).collect();
        let line = |name| lines.get(name).copied().unwrap_or_default();
        let features: Vec<usize> = list(line("split_feature")).ok_or("split_feature")?;
        let thresholds: Vec<f64> = list(line("threshold")).ok_or("threshold")?;
        let left: Vec<i32> = list(line("left_child")).ok_or("left_child")?;
        let right: Vec<i32> = list(line("right_child")).ok_or("right_child")?;
        let leaves: Vec<f64> = list(line("leaf_value")).ok_or("leaf_value")?;
        let count = features.len();
        if [thresholds.len(), left.len(), right.len(), leaves.len().saturating_sub(1)] != [count; 4] {
            return Err("lists of different lengths");
        }
        let pairs = features.into_iter().zip(thresholds).zip(left.into_iter().zip(right));
        let splits: Vec<_> = pairs
            .map(|((feature, threshold), (left, right))| Split { feature, threshold, left, right })
            .collect();
        let tree = Self { splits, leaves };
        tree.is_sound().then_some(tree).ok_or("a split of no feature, or a child that does not follow it")
    }

    /// Whether every split is of a feature, and every child follows its parent, so that each row ends in a leaf.
    fn is_sound(&self) -> bool {
        let is_child = |at: usize, child: i32| match usize::try_from(child) {
            Ok(split) => at < split && split < self.splits.len(),
            Err(_) => leaf_of(child) < self.leaves.len(),
        };
        self.splits.iter().enumerate().all(|(at, split)| {
            split.feature < NAMES.len() && is_child(at, split.left) && is_child(at, split.right)
        })
    }

    fn leaf(&self, row: &[f64; NAMES.len()]) -> f64 {
        let mut child = if self.splits.is_empty() { -1 } else { 0 };
        while let Some(split) = usize::try_from(child).ok().and_then(|at| self.splits.get(at)) {
            child = if row[split.feature] <= split.threshold { split.left } else { split.right };
        }
        self.leaves.get(leaf_of(child)).copied().unwrap_or_default()
    }
}

/// The place of the leaf that a negative child names.
fn leaf_of(child: i32) -> usize {
    (!child).unsigned_abs() as usize
}

fn list<T: FromStr>(text: &str) -> Option<Vec<T>> {
    text.split_whitespace().map(|word| word.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str =
        "model 1\nfeatures probability spread above below best margin books outcome\nplatt 0.5 2\n";
    const TREE: &str = "Tree=0\nsplit_feature=0 7\nthreshold=0.5 1\nleft_child=1 -1\nright_child=-3 -2\n\
                        leaf_value=1 2 4\n";

    fn row(probability: f64, outcome: f64) -> [f64; 8] {
        [probability, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, outcome]
    }

    #[test]
    fn a_row_goes_left_up_to_the_threshold() {
        let trees = Trees::parse(&format!("{HEAD}{TREE}{TREE}")).unwrap();
        let sums = [row(0.5, 1.0), row(0.5, 2.0), row(0.6, 0.0)].map(|row| trees.sum(&row));
        assert_eq!((sums, trees.platt, trees.len()), ([2.0, 4.0, 8.0], (0.5, 2.0), 2));
    }

    #[test]
    fn what_is_not_complete_is_refused() {
        let broken = |from: &str, to: &str| Trees::parse(&format!("{HEAD}{TREE}").replace(from, to));
        assert!(broken("", "").is_ok());
        for (from, to) in [
            ("model 1", "model 2"),
            ("spread ", ""),
            ("platt 0.5 2", "platt 0.5"),
            ("threshold=0.5 1", "threshold=0.5"),
            ("leaf_value=1 2 4", "leaf_value=1 2"),
            ("split_feature=0 7", "split_feature=0 8"),
            ("left_child=1 -1", "left_child=0 -1"),
            ("right_child=-3 -2", "right_child=-4 -2"),
            ("right_child=-3 -2", "right_child=x -2"),
        ] {
            assert!(broken(from, to).is_err(), "{from} as {to}");
        }
    }
}
