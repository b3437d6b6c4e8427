use durable_runtime::outline;

fn main() {
    let _ = outline!(3);
    let _ = outline!();
}
