//! Random expressions of glam's vectors and matrices of `f32`.

use super::Generator;
use super::types::Ty;

/// Names of lanes and, with `_axis`, of columns.
const LANES: [&str; 4] = ["x", "y", "z", "w"];

impl Generator {
    pub(crate) fn vector_leaf(&mut self, size: u8) -> String {
        let lanes: Vec<_> = (0..size).map(|_| self.leaf(&Ty::F32)).collect();
        format!("vec{size}({})", lanes.join(", "))
    }

    pub(crate) fn matrix_leaf(&mut self, size: u8) -> String {
        let columns: Vec<_> = (0..size).map(|_| self.leaf(&Ty::Vec(size))).collect();
        let how = self.random.pick(&["from_cols", "from_cols", "from_rows"]);
        if how == "from_rows" && size != 3 {
            return format!("Mat{size}::from_cols({})", columns.join(", "));
        }
        format!("Mat{size}::{how}({})", columns.join(", "))
    }

    pub(crate) fn vector_operation(&mut self, size: u8, depth: usize) -> String {
        let ty = Ty::Vec(size);
        let left = self.expr(&ty, depth - 1);
        let lane = LANES[self.random.below(usize::from(size))];
        match self.random.below(12) {
            0 | 1 => format!("({left} {} {})", self.random.pick(&["+", "-"]), self.expr(&ty, depth - 1)),
            2 => format!("tame{size}({left} * {})", self.expr(&ty, depth - 1)),
            3 => format!("tame{size}({left} * {})", self.leaf(&Ty::F32)),
            4 => format!("(-{left})"),
            5 => format!("{left}.{}()", self.random.pick(&["abs", "floor", "ceil", "trunc", "round"])),
            6 => format!("{left}.with_{lane}({})", self.leaf(&Ty::F32)),
            7 if size < 4 => format!("{}.truncate()", self.expr(&Ty::Vec(size + 1), depth - 1)),
            7 => format!("{}.extend({})", self.expr(&Ty::Vec(3), depth - 1), self.leaf(&Ty::F32)),
            8 => {
                let matrix = self.expr(&Ty::Mat(size), depth - 1);
                let lane = format!("{lane}_axis");
                match self.random.below(4) {
                    0 => format!(
                        "{matrix}.{}({})",
                        self.random.pick(&["col", "row"]),
                        self.random.below(usize::from(size))
                    ),
                    1 => format!(
                        "{matrix}.{}(({} % {size}) as usize)",
                        self.random.pick(&["col", "row"]),
                        self.leaf(&Ty::U32)
                    ),
                    2 => format!("{matrix}.diagonal()"),
                    _ => format!("{matrix}.{lane}"),
                }
            }
            9 if size == 3 => format!("tame3({left}.cross({}))", self.expr(&ty, depth - 1)),
            10 if size == 3 => format!(
                "tame3({}.{}({left}))",
                self.expr(&Ty::Mat(4), depth - 1),
                self.random.pick(&["transform_point3", "transform_vector3"])
            ),
            10 if size == 2 => format!(
                "tame2({}.{}({left}))",
                self.expr(&Ty::Mat(3), depth - 1),
                self.random.pick(&["transform_point2", "transform_vector2"])
            ),
            _ => {
                let matrix = self.expr(&Ty::Mat(size), depth - 1);
                if self.random.one_in(3) {
                    format!("tame{size}({matrix}.mul_vec{size}({left}))")
                } else {
                    format!("tame{size}({matrix} * {left})")
                }
            }
        }
    }

    pub(crate) fn matrix_operation(&mut self, size: u8, depth: usize) -> String {
        let ty = Ty::Mat(size);
        let left = self.expr(&ty, depth - 1);
        let tame = format!("tame_matrix{size}");
        match self.random.below(10) {
            0 => format!("({left} {} {})", self.random.pick(&["+", "-"]), self.expr(&ty, depth - 1)),
            1 | 2 => format!("{tame}({left} * {})", self.expr(&ty, depth - 1)),
            3 => match self.random.below(3) {
                0 => format!("{tame}({} * {left})", self.leaf(&Ty::F32)),
                1 => format!("{tame}({left}.mul_scalar({}))", self.leaf(&Ty::F32)),
                _ => format!("{tame}({left} * {})", self.leaf(&Ty::F32)),
            },
            4 => format!("{left}.transpose()"),
            5 => format!("(-{left})"),
            6 => format!("{left}.abs()"),
            // Devices in use divide without an error.
            7 => format!("{tame}({left}.inverse())"),
            8 if size < 4 => format!("Mat{size}::from_mat{0}({1})", size + 1, self.expr(&Ty::Mat(size + 1), depth - 1)),
            _ => {
                let columns: Vec<_> = (0..size).map(|_| self.expr(&Ty::Vec(size), depth - 1)).collect();
                format!("Mat{size}::from_cols({})", columns.join(", "))
            }
        }
    }

    /// A number or a condition, made of a vector or matrix.
    pub(crate) fn of_matrix(&mut self, ty: &Ty, depth: usize) -> String {
        let size = 2 + self.random.below(3) as u8;
        let (vector, matrix) = (self.expr(&Ty::Vec(size), depth - 1), self.expr(&Ty::Mat(size), depth - 1));
        match (ty, self.random.below(5)) {
            (Ty::Bool, 0) => format!("{matrix}.is_finite()"),
            (Ty::Bool, 1) => format!("({matrix} == {})", self.leaf(&Ty::Mat(size))),
            (Ty::Bool, 2) => format!("{vector}.is_nan()"),
            (Ty::Bool, 3) => format!("({vector} != {})", self.leaf(&Ty::Vec(size))),
            (Ty::Bool, _) => {
                format!("{vector}.cmple({}).{}()", self.leaf(&Ty::Vec(size)), self.random.pick(&["any", "all"]))
            }
            (_, 0) => format!("tame({matrix}.determinant())"),
            (_, 1) => format!("tame({vector}.dot({}))", self.leaf(&Ty::Vec(size))),
            (_, 2) => format!("tame({vector}.length_squared())"),
            (_, 3) => format!("tame({vector}.element_sum())"),
            _ => format!("{vector}.{}", LANES[self.random.below(usize::from(size))]),
        }
    }
}
