//! A type of one's own that is called `Reverse`, beside `std::cmp::Reverse`.

use gridwise::prelude::*;

use crate::case::{Case, Output};

const N: usize = 64;

mod beside {
    use gridwise::prelude::*;

    /// Orders as its member does.
    #[device]
    #[derive(Clone, Copy, PartialEq, PartialOrd)]
    pub(super) struct Reverse(pub(super) u32);

    #[kernel(workgroup = 32)]
    pub(super) fn lesser(out: &mut [u32]) {
        let i = global_id().x;
        out[i] = u32::from(Reverse(i) < Reverse(9));
    }
}
use beside::Reverse;

#[kernel(workgroup = 32)]
fn imported(out: &mut [u32]) {
    let i = global_id().x;
    let mut own = [i, 20, 40];
    own.sort_by_key(|v| std::cmp::Reverse(*v));
    let least = Reverse(i) < Reverse(9);
    out[i] = u32::from(least) + own[0];
}

const BESIDE: Case = Case {
    name: "own_reverse::beside",
    kernels: &[<beside::Lesser as gridwise::Kernel>::DESCRIPTOR, <Imported as gridwise::Kernel>::DESCRIPTOR],
    run: |mgr| {
        let (mut lesser, mut sorted) = (mgr.tensor_of_len::<u32>(N)?, mgr.tensor_of_len::<u32>(N)?);
        let seq = mgr.sequence()?;
        beside::Lesser::dispatch(&seq, Grid::items(N as u32), &mut lesser)?;
        Imported::dispatch(&seq, Grid::items(N as u32), &mut sorted)?.eval()?;
        Ok(vec![Output::U32(lesser.to_vec()?), Output::U32(sorted.to_vec()?)])
    },
    expected: Some(|| {
        let lesser = (0..N as u32).map(|i| u32::from(i < 9));
        vec![
            Output::U32(lesser.clone().collect()),
            Output::U32((0..N as u32).zip(lesser).map(|(i, least)| i.max(40) + least).collect()),
        ]
    }),
};

/// All cases of this file.
pub const CASES: &[Case] = &[BESIDE];
