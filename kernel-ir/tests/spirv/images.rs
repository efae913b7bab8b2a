//! Images and texels in SPIR-V: decorations of their variables, capabilities, bits that a format has, addressing of lists.

use crate::support::{disassemble, emit_text, validate};

/// A kernel of images; `%0` and `%1` are `u32`, `%2` is an `f32`.
fn kernel(buffers: &str, body: &str) -> String {
    let text = format!(
        "kernel fn0 workgroup(8, 8, 1) {{\n{buffers}}}\nfn0 k() -> () {{\n %0: u32 = local_index\n %1: u32 = const 0\n \
         %2: f32 = const 0.5\n{body} return\n}}\n"
    );
    let emitted = emit_text(&text);
    validate(&text, &emitted.words);
    disassemble(&emitted.words)
}

/// The decorations, other than its place, of the variable with a name.
fn decorations<'t>(text: &'t str, name: &str) -> Vec<&'t str> {
    let named = text.lines().find_map(|line| line.strip_prefix("OpName ")?.strip_suffix(&format!(" \"{name}\"")));
    let head = format!("OpDecorate {} ", named.expect("the variable has its name"));
    let all = text.lines().filter_map(|line| line.strip_prefix(&head));
    all.filter(|decoration| !decoration.starts_with("DescriptorSet") && !decoration.starts_with("Binding")).collect()
}

#[test]
fn decorations_tell_how_images_are_accessed() {
    let text = kernel(
        " buffer0 read: [f32] image(2, R32Float)\n buffer1 written: [f32] mut image(2, R32Float)\n \
         buffer2 both: [f32] mut image(2, R32Float)\n buffer3 sampled: [f32] image(2, R32Float, sampled)\n \
         buffer4 untouched: [f32] mut image(2, R32Float)\n",
        " %3: f32 = image_load buffer0(%0, %1)\n image_store buffer1(%0, %1, %3)\n %4: f32 = image_load buffer2(%0, %1)\n \
         image_store buffer2(%1, %0, %4)\n %5: f32 = image_sample buffer3(%2, %2, %2)\n image_store buffer1(%1, %0, %5)\n",
    );
    assert_eq!(decorations(&text, "read"), ["Restrict", "NonWritable"]);
    assert_eq!(decorations(&text, "written"), ["Restrict", "NonReadable"]);
    assert_eq!(decorations(&text, "both"), ["Restrict"]);
    assert_eq!(decorations(&text, "sampled"), [""; 0]);
    assert_eq!(decorations(&text, "untouched"), ["Restrict", "NonReadable"]);
}

#[test]
fn sizes_and_levels_are_asked_for_with_a_capability() {
    let bodies = [
        (" %3: f32 = image_load buffer0(%0, %1)\n", false),
        (" %3: u32 = image_size_x buffer0()\n", true),
        (" %3: u32 = image_size_y buffer1(%1)\n", true),
        (" %3: u32 = image_levels buffer1()\n", true),
    ];
    for (body, is_query) in bodies {
        let buffers = " buffer0 x: [f32] image(2, R32Float)\n buffer1 y: [f32] image(2, R32Float, sampled)\n";
        assert_eq!(kernel(buffers, body).contains("ImageQuery\n"), is_query, "{body}");
    }
}

#[test]
fn integers_keep_the_bits_that_a_format_has() {
    let count = |format: &str, ty: &str, value: &str, wanted: &str| {
        let buffers = format!(" buffer0 x: [{ty}] mut image(2, {format})\n");
        let body = format!(" %3: {ty} = const {value}\n image_store buffer0(%0, %1, %3)\n");
        kernel(&buffers, &body).matches(wanted).count()
    };
    assert_eq!(count("R8Uint", "u32", "7", "OpBitwiseAnd"), 1);
    assert_eq!(count("R16Sint", "i32", "7", "OpShiftRightArithmetic"), 1);
    assert_eq!(count("R32Uint", "u32", "7", "OpBitwiseAnd"), 0);
    assert_eq!(count("R32Sint", "i32", "7", "OpShiftRightArithmetic"), 0);
    assert_eq!(count("R16Float", "f32", "0.5", "OpBitwiseAnd"), 0);
}

#[test]
fn lists_of_buffers_are_reached_by_addresses() {
    let of_buffers = kernel(" buffer0 x: [f32] list mut\n", " store buffer0{%1}[%0] = %2\n");
    assert!(of_buffers.contains("OpMemoryModel PhysicalStorageBuffer64 Vulkan"), "{of_buffers}");
    let of_images =
        kernel(" buffer0 x: [f32] list image(2, R32Float)\n", " %3: f32 = image_load buffer0(%1, %0, %0)\n");
    assert!(of_images.contains("OpMemoryModel Logical Vulkan"), "{of_images}");
    assert!(kernel("", "").contains("OpMemoryModel Logical Vulkan"));
}

#[test]
fn texels_are_words_whatever_the_elements_are() {
    for (ty, casts) in [("u32", 0), ("vec4<u32>", 0), ("i32", 1), ("f32", 1), ("vec2<f32>", 1), ("vec4<i32>", 1)] {
        let text = kernel(
            &format!(" buffer0 x: [{ty}] texels\n buffer1 y: [{ty}] mut\n"),
            &format!(" %3: {ty} = load buffer0[%0]\n store buffer1[%0] = %3\n"),
        );
        assert_eq!(text.matches("OpBitcast").count(), casts, "{ty}: {text}");
    }
}
