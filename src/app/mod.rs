//! State of the screen. Keys, events, timers and results of effects come in as [`action::Action`]s;
//! [`update::update`] changes the state and says what to do. No IO and no clock: time comes in.

pub mod action;
pub mod archive;
pub mod editor;
pub mod gauge;
pub mod highlight;
pub mod keymap;
pub mod layout;
pub mod log;
pub mod message;
pub mod now;
pub mod situation;
pub mod state;
pub mod update;
