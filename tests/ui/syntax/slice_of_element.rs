//! A slice that a method gives of an element, in a closure that has a copy of the element.

use gridwise::prelude::*;

#[device]
mod nodes {
    #[derive(Clone, Copy)]
    pub struct Node {
        keys: [u32; 4],
        len: usize,
    }

    impl Node {
        pub fn new(len: usize) -> Self {
            Self { keys: [7; 4], len }
        }

        pub fn keys(&self) -> &[u32] {
            &self.keys[..self.len]
        }
    }

    pub fn total(len: usize) -> u32 {
        let all = [Node::new(len); 3];
        all.iter().flat_map(|node| node.keys().iter()).sum()
    }

    pub fn count(len: usize) -> usize {
        let all = [Node::new(len); 3];
        all.iter().flat_map(|node| node.keys()).count()
    }
}

fn main() {}
