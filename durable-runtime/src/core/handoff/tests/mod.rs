/// Snapshots are named for the situation, not for the module.
macro_rules! letter {
    ($name:literal, $story:expr) => {
        let mut settings = insta::Settings::clone_current();
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!($name, $story.handoff()));
    };
}

mod answered;
mod apart;
mod cancelled;
mod later;
mod properties;
mod situations;
mod story;
