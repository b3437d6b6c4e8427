use durable_runtime::prelude::*;

async fn pay() {}

fn main() {
    let _ = (outline!(pay), outline!(u32));
    let _ = outline!(1 + 1);
    let _ = pay;
}
