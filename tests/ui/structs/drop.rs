use gridwise::prelude::*;

#[device]
mod tools {
    pub struct Guard {
        pub count: u32,
    }

    impl Drop for Guard {
        fn drop(&mut self) {
            self.count += 1;
        }
    }
}

fn main() {}
