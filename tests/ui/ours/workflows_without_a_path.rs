use durable_runtime::workflows;

fn main() {
    let _ = workflows![];
    let _ = workflows![1 + 2];
}
