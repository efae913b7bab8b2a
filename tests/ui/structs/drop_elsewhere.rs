use gridwise::prelude::*;

#[device]
struct Guard {
    count: u32,
}

impl Drop for Guard {
    fn drop(&mut self) {
        println!("{}", self.count);
    }
}

#[device]
struct Cell<T> {
    value: T,
}

impl<T> Drop for Cell<T> {
    fn drop(&mut self) {}
}

fn main() {}
