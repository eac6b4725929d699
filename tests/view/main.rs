//! Snapshots of every pane and state, text and style both, at three sizes.

mod archive;
mod editor;
mod gauge;
mod log;
mod now;
mod screen;
mod snap;
