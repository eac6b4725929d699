//! State in, cells out. Views are plain functions of what they show; they keep nothing and change
//! nothing.

pub mod archive;
mod boxes;
pub mod chrome;
pub mod editor;
pub mod gauge;
pub mod help;
pub mod log;
pub mod marks;
pub mod nowline;
pub mod screen;
pub mod theme;
