mod properties;
mod situations;
mod story;
