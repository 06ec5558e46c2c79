fn start(column: u32) -> vec4<f32> {
    return vec4<f32>();
}
