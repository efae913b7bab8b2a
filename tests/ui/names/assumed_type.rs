//! A type with the name of a built-in one that a macro makes: the text of the file does not show that it is another one.

macro_rules! made {
    ($name:ident) => {
        #[derive(Clone, Copy)]
        pub struct $name {
            pub x: f32,
        }

        impl $name {
            pub fn new(x: f32, y: f32) -> Self {
                Self { x: x + y }
            }

            pub fn length(self) -> f32 {
                self.x
            }
        }
    };
}

mod shapes {
    made!(Vec2);
}

mod kernels {
    use gridwise::{global_id, kernel};

    use super::shapes::Vec2;

    #[kernel]
    pub fn case(y: &mut [f32]) {
        let i = global_id().x;
        y[i] = Vec2::new(3.0, 4.0).length();
    }
}

fn main() {}
